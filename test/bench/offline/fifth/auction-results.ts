interface Lot {
  id: string;
  opening: number;
  reserve?: number | null;
}

interface Bid {
  lot: string;
  bidder: string;
  limit: number;
  at: number;
  withdrawn?: boolean;
}

interface Result {
  lot: string;
  status: 'sold' | 'unsold' | 'no bids';
  winner: string | null;
  price: number | null;
  bidders: number;
}

/** The results of a sale with written bids: the highest limit wins, at one step above the second. */
export function auctionResults(lots: Lot[], bids: Bid[], premium = 0): { results: Result[]; toPay: Record<string, number> } {
  const bidsByLot = new Map<string, Bid[]>();
  for (const bid of bids) {
    if (bid.withdrawn) continue;
    const list = bidsByLot.get(bid.lot) ?? [];
    list.push(bid);
    bidsByLot.set(bid.lot, list);
  }

  const results = lots.map((lot) => resultOf(lot, bidsByLot.get(lot.id) ?? []));
  const toPay: Record<string, number> = {};
  for (const { winner, price } of results) {
    if (winner === null || price === null) continue;
    toPay[winner] = Math.round(((toPay[winner] ?? 0) + price * (1 + premium / 100)) * 100) / 100;
  }
  return { results, toPay };
}

function resultOf(lot: Lot, bids: Bid[]): Result {
  // A bidder who bids again replaces the own earlier bid; of equal limits the earlier one is ahead.
  const latest = new Map<string, Bid>();
  for (const bid of [...bids].sort((a, b) => a.at - b.at)) latest.set(bid.bidder, bid);
  const ranked = [...latest.values()].filter((bid) => bid.limit >= lot.opening).sort((a, b) => b.limit - a.limit || a.at - b.at);

  const [first, second] = ranked;
  if (!first) return { lot: lot.id, status: 'no bids', winner: null, price: null, bidders: 0 };
  let price = second ? Math.min(first.limit, second.limit + stepAt(second.limit)) : lot.opening;
  const reserve = lot.reserve ?? 0;
  if (first.limit < reserve) {
    return { lot: lot.id, status: 'unsold', winner: null, price: null, bidders: ranked.length };
  }
  price = Math.max(price, reserve);
  return { lot: lot.id, status: 'sold', winner: first.bidder, price, bidders: ranked.length };
}

function stepAt(amount: number): number {
  if (amount < 100) return 5;
  if (amount < 500) return 20;
  return 50;
}

export function inputs(): unknown[][] {
  let seed = 27182;
  const below = (limit: number): number => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return Math.floor(seed / 65536) % limit;
  };
  const sizes: [number, number][] = [
    [1, 0],
    [4, 12],
    [60, 500],
    [400, 9000],
  ];
  return sizes.map(([lotCount, bidCount]) => {
    const lots = Array.from({ length: lotCount }, (_, index) => {
      const lot: Lot = { id: `L${index + 1}`, opening: 10 * below(12) };
      if (below(3)) lot.reserve = below(4) ? 25 * below(30) : null;
      return lot;
    });
    const bids = Array.from({ length: bidCount }, (_, index) => {
      const bid: Bid = {
        lot: `L${1 + below(lotCount + 1)}`,
        bidder: `Paddle ${1 + below(40)}`,
        limit: 5 * below(160),
        at: index + below(4),
      };
      if (below(10) === 0) bid.withdrawn = true;
      return bid;
    });
    return [lots, bids, 18];
  });
}
