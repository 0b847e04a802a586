/** How many guests a hostel has on each night, which nights are full, and the longest run of free beds. */
export function occupancy(bookings, nights, beds) {
  const perNight = [];
  for (let night = 0; night < nights; night++) {
    let guests = 0;
    bookings.forEach((booking) => {
      if (booking.cancelled) return;
      if (booking.arrival <= night && night < booking.departure) {
        guests += booking.guests;
      }
    });
    perNight.push(guests);
  }
  let full = [];
  for (let night = 0; night < nights; night++) {
    if (perNight[night] >= beds) full = [...full, night];
  }
  let longest = 0;
  for (let start = 0; start < nights; start++) {
    let length = 0;
    while (start + length < nights && !full.includes(start + length)) {
      length++;
    }
    if (length > longest) longest = length;
  }
  const used = perNight.reduce((sum, guests) => sum + Math.min(guests, beds), 0);
  return { perNight, full, longest, share: nights === 0 ? 0 : Math.round((used / (nights * beds)) * 100) };
}

export function inputs() {
  return [
    [
      [
        { arrival: 0, departure: 3, guests: 2, cancelled: false },
        { arrival: 2, departure: 5, guests: 4, cancelled: false },
        { arrival: 4, departure: 6, guests: 1, cancelled: true },
        { arrival: 7, departure: 9, guests: 6, cancelled: false },
      ],
      10,
      6,
    ],
    [[{ arrival: 0, departure: 1, guests: 1, cancelled: false }], 2, 4],
  ];
}
