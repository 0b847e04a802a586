/** Keeps the points of a shop's customer cards. */

const DAY = 24 * 60 * 60 * 1000;
const TIERS = [
  { name: 'gold', from: 1000, factor: 1.5 },
  { name: 'silver', from: 300, factor: 1.2 },
  { name: 'basic', from: 0, factor: 1 },
];

const tierFor = (spent) => TIERS.find((tier) => spent >= tier.from) ?? TIERS[TIERS.length - 1];

/** Balances per customer on a day; points expire, and the oldest are used first. */
export function loyaltyPoints(events, today, rules = {}) {
  const keepDays = rules.keepDays ?? 365;
  const perEuro = rules.perEuro ?? 1;
  const lastDay = dayNumber(today);
  const accounts = new Map();
  const problems = [];
  const sorted = events
    .map((event, index) => ({ ...event, index, day: dayNumber(event.date) }))
    .filter((event) => event.day <= lastDay)
    .sort((a, b) => a.day - b.day || a.index - b.index);
  for (const event of sorted) {
    if (!event.customer) {
      problems.push({ index: event.index, problem: 'no customer' });
      continue;
    }
    if (!accounts.has(event.customer)) {
      accounts.set(event.customer, { customer: event.customer, lots: [], spent: 0, used: 0, expired: 0 });
    }
    const account = accounts.get(event.customer);
    expire(account, event.day, keepDays);
    if (event.type === 'purchase') {
      const amount = event.amount ?? 0;
      const points = Math.floor(amount * perEuro * tierFor(account.spent).factor);
      account.spent += amount;
      if (points > 0) account.lots.push({ day: event.day, points });
    } else if (event.type === 'redeem') {
      const points = event.points ?? 0;
      if (balance(account) < points) problems.push({ index: event.index, problem: 'too few points' });
      else take(account, points);
    } else if (event.type === 'bonus') {
      account.lots.push({ day: event.day, points: event.points ?? 0 });
    } else {
      problems.push({ index: event.index, problem: `unknown event ${event.type}` });
    }
  }
  const customers = [...accounts.values()].map((account) => {
    expire(account, lastDay, keepDays);
    const soon = account.lots.filter((lot) => lot.day + keepDays - lastDay <= 30);
    return {
      customer: account.customer,
      tier: tierFor(account.spent).name,
      balance: balance(account),
      used: account.used,
      expired: account.expired,
      expiringSoon: soon.reduce((sum, lot) => sum + lot.points, 0),
    };
  });
  customers.sort((a, b) => b.balance - a.balance || a.customer.localeCompare(b.customer));
  return { customers, problems, open: customers.reduce((sum, entry) => sum + entry.balance, 0) };
}

function dayNumber(date) {
  const time = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(time)) throw new Error(`not a date: ${date}`);
  return time / DAY;
}

const balance = (account) => account.lots.reduce((sum, lot) => sum + lot.points, 0);

function expire(account, day, keepDays) {
  while (account.lots.length > 0 && account.lots[0].day + keepDays < day) {
    account.expired += account.lots.shift().points;
  }
}

function take(account, points) {
  let rest = points;
  while (rest > 0) {
    const lot = account.lots[0];
    const part = Math.min(lot.points, rest);
    lot.points -= part;
    rest -= part;
    if (lot.points === 0) account.lots.shift();
  }
  account.used += points;
}

export function inputs() {
  let state = 31;
  const roll = (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
  const two = (value) => String(value).padStart(2, '0');
  const call = (count, customers) => {
    const events = Array.from({ length: count }, () => {
      const customer = roll(80) === 0 ? null : `C${roll(customers)}`;
      const date = `${2022 + roll(3)}-${two(roll(12) + 1)}-${two(roll(28) + 1)}`;
      const kind = roll(10);
      if (kind < 7) return { customer, date, type: 'purchase', amount: (500 + roll(12000)) / 100 };
      if (kind < 9) return { customer, date, type: 'redeem', points: 20 + roll(150) };
      return { customer, date, type: 'bonus', points: 25 };
    });
    return [events, '2024-11-30', { keepDays: 300 }];
  };
  return [call(4, 2), call(60, 6), call(800, 40), call(9000, 150)];
}
