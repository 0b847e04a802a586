"""Books the meetings of one day into rooms and proposes a later start for those without a free room."""

OPENS = 8 * 60
CLOSES = 18 * 60
STEP = 15


def to_minutes(clock):
    hours, minutes = clock.split(':')
    total = int(hours) * 60 + int(minutes)
    if not 0 <= total <= 24 * 60:
        raise ValueError('not a time of day: ' + clock)
    return total


def to_clock(minutes):
    return '%02d:%02d' % (minutes // 60, minutes % 60)


def is_free(room, start, end, bookings):
    for booking in bookings:
        if booking['room'] == room['name']:
            if start < to_minutes(booking['end']) and to_minutes(booking['start']) < end:
                return False
    return True


def suits(room, request):
    if room['seats'] < request['people']:
        return False
    return all(item in room.get('equipment', []) for item in request.get('needs', []))


def free_rooms(rooms, request, start, end, bookings):
    found = [r for r in rooms if suits(r, request) and is_free(r, start, end, bookings)]
    return sorted(found, key=lambda room: (room['seats'], len(room.get('equipment', [])), room['name']))


def next_free_start(rooms, request, start, length, bookings):
    while start + length <= CLOSES:
        if free_rooms(rooms, request, start, start + length, bookings):
            return to_clock(start)
        start += STEP
    return None


def book_meeting_rooms(requests, rooms):
    bookings = []
    rejected = []
    ordered = sorted(requests, key=lambda r: (-r.get('priority', 0), to_minutes(r['start']), r['title']))
    for request in ordered:
        start = to_minutes(request['start'])
        end = to_minutes(request['end'])
        if end <= start:
            raise ValueError('%s ends before it starts' % request['title'])
        found = []
        if start >= OPENS and end <= CLOSES:
            found = free_rooms(rooms, request, start, end, bookings)
        if found:
            bookings.append({
                'title': request['title'],
                'room': found[0]['name'],
                'start': to_clock(start),
                'end': to_clock(end),
            })
        else:
            rejected.append(request)
    waiting = []
    for request in rejected:
        start = max(OPENS, to_minutes(request['start']))
        length = to_minutes(request['end']) - to_minutes(request['start'])
        proposal = next_free_start(rooms, request, start, length, bookings)
        waiting.append({'title': request['title'], 'proposed_start': proposal})
    usage = {}
    for room in rooms:
        own = [b for b in bookings if b['room'] == room['name']]
        usage[room['name']] = sum(to_minutes(b['end']) - to_minutes(b['start']) for b in own)
    return {'bookings': bookings, 'waiting': waiting, 'minutes_used': usage}


def inputs():
    state = [23]

    def pick(count):
        state[0] = state[0] * 16807 % 2147483647
        return state[0] % count

    equipment = ['screen', 'phone', 'whiteboard', 'camera']

    def case(request_count, room_count):
        rooms = []
        for index in range(room_count):
            rooms.append({
                'name': 'Room %d' % (index + 1),
                'seats': 4 + pick(9) * 2,
                'equipment': [item for item in equipment if pick(2) == 0],
            })
        requests = []
        for index in range(request_count):
            start = 8 * 60 + pick(34) * 15
            request = {
                'title': 'Meeting %d' % (index + 1),
                'start': to_clock(start),
                'end': to_clock(start + 30 + pick(5) * 15),
                'people': 2 + pick(14),
                'priority': pick(3),
            }
            if pick(3) == 0:
                request['needs'] = [equipment[pick(4)]]
            requests.append(request)
        return [requests, rooms]

    return [case(2, 1), case(12, 4), case(40, 8), case(120, 14)]
