function compareEvents(a, b) {
  const difference = Date.parse(b.at) - Date.parse(a.at);
  if (difference !== 0) return difference;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function cursorOf(event) {
  return `${Date.parse(event.at)}_${event.id}`;
}

/** Is the event behind the place that the cursor marks? */
function isAfter(event, cursor) {
  if (!cursor) return true;
  const [time, ...rest] = cursor.split('_');
  const id = rest.join('_');
  const at = Date.parse(event.at);
  return at < Number(time) || (at === Number(time) && event.id > id);
}

/**
 * Merges the events of several feeds to one timeline, the newest first, and
 * gives one page of it, grouped by day (UTC). An event that is in several feeds
 * is shown once, as the first of these feeds has it.
 *
 * @param {Array<{source: string, events: Array<{id: string, at: string, kind: string, text?: string}>}>} feeds
 * @param {{cursor?: string | null, limit?: number, kinds?: string[]}} [request]
 */
export function mergeEventFeeds(feeds, request = {}) {
  const { cursor = null, limit = 20, kinds } = request;
  const known = new Map();
  for (const feed of feeds) {
    for (const event of feed.events) {
      if (Number.isNaN(Date.parse(event.at))) continue;
      if (known.has(event.id)) {
        const first = known.get(event.id);
        if (!first.sources.includes(feed.source)) first.sources.push(feed.source);
      } else {
        known.set(event.id, { ...event, sources: [feed.source] });
      }
    }
  }

  const timeline = [...known.values()].sort(compareEvents).filter((event) => !kinds || kinds.includes(event.kind));
  const remaining = timeline.filter((event) => isAfter(event, cursor));
  const page = remaining.slice(0, limit);

  const days = page.reduce((groups, event) => {
    const day = new Date(event.at).toISOString().slice(0, 10);
    const group = groups.find((g) => g.day === day);
    if (group) {
      group.events.push(event);
      return groups;
    }
    return [...groups, { day, events: [event] }];
  }, []);

  return {
    days,
    total: timeline.length,
    remaining: remaining.length - page.length,
    nextCursor: remaining.length > page.length && page.length > 0 ? cursorOf(page[page.length - 1]) : null,
  };
}

export function inputs() {
  let state = 43;
  const draw = (count) => {
    state = (state * 48271) % 2147483647;
    return state % count;
  };
  const two = (number) => String(number).padStart(2, '0');
  const time = () =>
    `2024-0${4 + draw(3)}-${two(1 + draw(28))}T${two(draw(24))}:${two(draw(60))}:00${['Z', 'Z', '+02:00', '-05:00'][draw(4)]}`;
  const feed = (source, count, ids) => ({
    source,
    events: Array.from({ length: count }, () => ({
      id: `e_${draw(ids)}`,
      at: time(),
      kind: ['comment', 'commit', 'review', 'build'][draw(4)],
      text: `Change ${draw(500)}`,
    })),
  });
  const middle = Date.parse('2024-05-20T12:00:00Z');
  return [
    [[feed('a', 4, 6), feed('b', 3, 6)]],
    [[feed('mail', 20, 60), feed('chat', 25, 60)], { limit: 10, kinds: ['comment', 'review'] }],
    [[feed('x', 90, 300), feed('y', 80, 300), feed('z', 60, 300)], { limit: 30, cursor: `${middle}_e_10` }],
    [
      [feed('git', 600, 2500), feed('ci', 500, 2500), feed('wiki', 300, 2500), feed('chat', 200, 2500)],
      { limit: 50, cursor: `${middle}_e_400`, kinds: ['comment', 'commit', 'build'] },
    ],
  ];
}
