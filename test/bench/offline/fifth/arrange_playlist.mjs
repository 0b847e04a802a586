/**
 * Puts tracks in an order for an evening: no artist twice in a row where that can be avoided, and the energy
 * follows a curve that rises to the middle.
 */
export function arrangePlaylist(tracks, options = {}) {
  const limit = options.maxMinutes ?? 60;
  const gap = options.gap ?? 2;
  const chosen = [];
  let remaining = removeDuplicates(tracks);

  while (remaining.length > 0) {
    const target = targetEnergy(totalMinutes(chosen), limit);
    remaining.sort((a, b) => penalty(a, chosen, target, gap) - penalty(b, chosen, target, gap) || compareTitles(a, b));
    const fitting = remaining.filter((track) => totalMinutes(chosen) + track.minutes <= limit);
    if (fitting.length === 0) break;
    const next = fitting[0];
    chosen.push(next);
    remaining = remaining.filter((track) => track !== next);
  }

  return {
    order: chosen.map((track) => `${track.artist} – ${track.title}`),
    minutes: Math.round(totalMinutes(chosen) * 100) / 100,
    repeats: chosen.filter((track, index) => index > 0 && chosen[index - 1].artist === track.artist).length,
    left: remaining.length,
  };
}

function removeDuplicates(tracks) {
  return tracks.filter((track, index) => {
    const first = tracks.findIndex(
      (other) =>
        other.title.toLowerCase() === track.title.toLowerCase() && other.artist.toLowerCase() === track.artist.toLowerCase(),
    );
    return first === index;
  });
}

function totalMinutes(tracks) {
  return tracks.reduce((sum, track) => sum + track.minutes, 0);
}

function targetEnergy(elapsed, limit) {
  const part = limit > 0 ? elapsed / limit : 0;
  return part < 0.5 ? 3 + part * 12 : 9 - (part - 0.5) * 8;
}

function penalty(track, chosen, target, gap) {
  // Tracks that nobody has rated count as medium.
  let value = Math.abs((track.energy ?? 5) - target);
  const recent = gap > 0 ? chosen.slice(-gap).reverse() : [];
  recent.forEach((other, distance) => {
    if (other.artist === track.artist) value += 20 / (distance + 1);
    if (other.genre && other.genre === track.genre) value += 1;
  });
  return value;
}

function compareTitles(a, b) {
  if (a.title === b.title) return 0;
  return a.title < b.title ? -1 : 1;
}

export function inputs() {
  let seed = 1969;
  const below = (limit) => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return Math.floor(seed / 65536) % limit;
  };
  const artists = ['The Larks', 'Mona K', 'Delta Four', 'mona k', 'Ostrava', 'Jun & Co', 'Pale Sun'];
  const nouns = ['Rain', 'Harbour', 'Night', 'Letters', 'Gold', 'Roads', 'Winter', 'Rain'];
  return [
    [1, undefined],
    [8, { maxMinutes: 20 }],
    [30, { maxMinutes: 90, gap: 3 }],
    [52, { maxMinutes: 130, gap: 2 }],
  ].map(([count, options]) => {
    const tracks = Array.from({ length: count }, () => {
      const track = {
        title: `${nouns[below(8)]} ${below(12)}`,
        artist: artists[below(7)],
        minutes: 2 + below(16) * 0.25,
      };
      if (below(5)) track.energy = 1 + below(10);
      if (below(3)) track.genre = ['folk', 'soul', 'disco', ''][below(4)];
      return track;
    });
    return options === undefined ? [tracks] : [tracks, options];
  });
}
