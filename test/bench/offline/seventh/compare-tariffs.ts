/** Computes what the energy readings of a household would cost under several tariffs, the cheapest first. */

type Reading = { at: string; kwh: number };
type Band = { from: string; to: string; rate: number; days?: 'weekday' | 'weekend' };
type Tariff = { name: string; perDay: number; rate: number; bands?: Band[]; freePerMonth?: number };
type Cost = { tariff: string; total: number; monthly: { month: string; cost: number }[]; saving: number | null };

function isWeekend(at: string): boolean {
  const day = new Date(`${at.slice(0, 10)}T00:00:00Z`).getUTCDay();
  return day === 0 || day === 6;
}

function inBand(at: string, band: Band): boolean {
  if (band.days !== undefined && (band.days === 'weekend') !== isWeekend(at)) {
    return false;
  }
  const time = at.slice(11, 16);
  if (band.from <= band.to) {
    return time >= band.from && time < band.to;
  }
  return time >= band.from || time < band.to;
}

function rateAt(at: string, tariff: Tariff): number {
  const band = (tariff.bands ?? []).find((candidate) => inBand(at, candidate));
  return band === undefined ? tariff.rate : band.rate;
}

function monthCost(month: string, readings: Reading[], tariff: Tariff): number {
  const own = readings.filter((reading) => reading.at.startsWith(month));
  const days = new Set(own.map((reading) => reading.at.slice(0, 10)));
  let free = tariff.freePerMonth ?? 0;
  let cost = days.size * tariff.perDay;
  for (const reading of own) {
    const charged = Math.max(0, reading.kwh - free);
    free = Math.max(0, free - reading.kwh);
    cost += charged * rateAt(reading.at, tariff);
  }
  return Math.round(cost);
}

function checkReadings(readings: Reading[]): void {
  for (const reading of readings) {
    if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(reading.at)) {
      throw new Error(`Not a time: ${reading.at}`);
    }
    if (reading.kwh < 0) {
      throw new RangeError(`Negative reading at ${reading.at}`);
    }
  }
}

export function compareTariffs(readings: Reading[], tariffs: Tariff[], current?: string): Cost[] {
  checkReadings(readings);
  const ordered = [...readings].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const months = [...new Set(ordered.map((reading) => reading.at.slice(0, 7)))];
  const costs = tariffs.map((tariff) => {
    const monthly = months.map((month) => ({ month, cost: monthCost(month, ordered, tariff) }));
    const total = monthly.reduce((sum, entry) => sum + entry.cost, 0);
    return { tariff: tariff.name, total, monthly };
  });
  const paid = costs.find((cost) => cost.tariff === current);
  if (current !== undefined && paid === undefined) {
    throw new Error(`The current tariff ${current} is not among the tariffs`);
  }
  return costs
    .map((cost) => ({ ...cost, saving: paid === undefined ? null : paid.total - cost.total }))
    .sort((a, b) => a.total - b.total || (a.tariff < b.tariff ? -1 : a.tariff > b.tariff ? 1 : 0));
}

export function inputs(): [Reading[], Tariff[], string][] {
  let state = 109;
  const pick = (size: number): number => {
    state = (state * 16807) % 2147483647;
    return state % size;
  };
  const tariffs: Tariff[] = [
    { name: 'Flat', perDay: 40, rate: 29 },
    { name: 'Night', perDay: 45, rate: 33, bands: [{ from: '22:00', to: '06:00', rate: 18 }] },
    {
      name: 'Weekend',
      perDay: 35,
      rate: 34,
      bands: [
        { from: '00:00', to: '24:00', rate: 20, days: 'weekend' },
        { from: '17:00', to: '20:00', rate: 41, days: 'weekday' },
      ],
    },
    { name: 'Start', perDay: 60, rate: 30, freePerMonth: 25 },
  ];
  const one = (days: number, perDay: number, count: number): [Reading[], Tariff[], string] => {
    const readings = Array.from({ length: days * perDay }, (_, index) => {
      const day = new Date(Date.UTC(2024, 0, 1 + Math.floor(index / perDay))).toISOString().slice(0, 10);
      const hour = Math.floor(((index % perDay) * 24) / perDay);
      return { at: `${day}T${String(hour).padStart(2, '0')}:30`, kwh: pick(300) / 100 };
    });
    return [readings, tariffs.slice(0, count), 'Flat'];
  };
  return [one(1, 1, 1), one(3, 8, 2), one(45, 12, 4), one(200, 24, 4)];
}
