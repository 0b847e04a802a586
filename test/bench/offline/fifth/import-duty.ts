type Tariff = { code: string; rate: number; perKilo?: number; origins?: string[] };

type Item = { code: string; value: number; weight?: number | null; origin: string; count?: number };

type Parcel = { id: string; gift?: boolean; shipping?: number; items: Item[] };

type Assessment = { id: string; value: number; duty: number; vat: number; reasons: string[] };

const ALLOWANCE = 150;
const GIFT_ALLOWANCE = 45;

/** Duty and VAT on parcels from abroad; the tariff with the longest matching code decides. */
export function importDuty(parcels: Parcel[], tariffs: Tariff[], vatRate = 20): Assessment[] {
  return parcels.map((parcel) => {
    const goods = goodsValue(parcel);
    const reasons: string[] = [];
    let duty = 0;
    for (const item of parcel.items) {
      const tariff = findTariff(tariffs, item);
      if (tariff === null) {
        reasons.push(`${item.code}: no tariff`);
        continue;
      }
      // Shipping is spread over the items by their value.
      const share = goods > 0 ? ((item.value * (item.count ?? 1)) / goods) * (parcel.shipping ?? 0) : 0;
      const base = item.value * (item.count ?? 1) + share;
      const byWeight = (tariff.perKilo ?? 0) * (item.weight ?? 0) * (item.count ?? 1);
      duty += Math.max((base * tariff.rate) / 100, byWeight);
      const reason = `${tariff.code}: ${byWeight > (base * tariff.rate) / 100 ? 'by weight' : `${tariff.rate}%`}`;
      if (!reasons.includes(reason)) reasons.push(reason);
    }
    if (goodsValue(parcel) <= ALLOWANCE) {
      duty = 0;
      reasons.push('below the allowance');
    }
    const free = parcel.gift === true && goodsValue(parcel) <= GIFT_ALLOWANCE;
    const vat = free ? 0 : ((goods + (parcel.shipping ?? 0) + duty) * vatRate) / 100;
    return { id: parcel.id, value: cents(goods), duty: cents(duty), vat: cents(vat), reasons };
  });
}

function goodsValue(parcel: Parcel): number {
  return parcel.items.map((item) => item.value * (item.count ?? 1)).reduce((sum, value) => sum + value, 0);
}

function findTariff(tariffs: Tariff[], item: Item): Tariff | null {
  const code = item.code.replaceAll(/[ .]/g, '');
  if (!/^\d{4,10}$/.test(code)) throw new Error(`Not a commodity code: ${item.code}`);
  const matching = tariffs
    .filter((tariff) => code.startsWith(tariff.code))
    .filter((tariff) => !tariff.origins || tariff.origins.includes(item.origin))
    .sort((a, b) => b.code.length - a.code.length || a.rate - b.rate);
  return matching[0] ?? null;
}

function cents(amount: number): number {
  return Math.round(amount * 100) / 100;
}

export function inputs(): unknown[][] {
  let seed = 31415;
  const below = (limit: number): number => {
    seed = (seed * 1664525 + 1013904223) % 4294967296;
    return Math.floor(seed / 65536) % limit;
  };
  const pick = (names: string[]): string => names[below(names.length)] ?? '';
  const origins = ['CN', 'US', 'JP', 'NO', 'CH'];
  const chapters = ['61', '62', '64', '85', '95'];
  const sizes: [number, number][] = [
    [1, 1],
    [6, 12],
    [50, 60],
    [160, 150],
  ];
  return sizes.map(([parcelCount, tariffCount]) => {
    const tariffs = Array.from({ length: tariffCount }, () => {
      const tariff: Tariff = {
        code: pick(chapters) + pick(['', '0', '01', '02', '0110', '0190', '021']),
        rate: [0, 2.5, 4, 12, 17][below(5)] ?? 0,
      };
      if (below(5) === 0) tariff.perKilo = 1 + below(6);
      if (below(4) === 0) tariff.origins = [pick(origins), pick(origins)];
      return tariff;
    });
    const parcels = Array.from({ length: parcelCount }, (_, index) => {
      const items = Array.from({ length: 1 + below(6) }, () => {
        const item: Item = {
          code: `${pick(chapters)}0${below(3)}.${pick(['10', '90', '11'])}`,
          value: [15, 45, 150, 9.99, 24.5][below(5)] ?? 15,
          origin: pick(origins),
        };
        if (below(3)) item.weight = below(4) ? below(20) / 4 : null;
        if (below(3) === 0) item.count = 1 + below(4);
        return item;
      });
      const parcel: Parcel = { id: `RX${index}`, items };
      if (below(4) === 0) parcel.gift = true;
      if (below(2)) parcel.shipping = below(30);
      return parcel;
    });
    return [parcels, tariffs];
  });
}
