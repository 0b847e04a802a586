from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Optional

CENT = Decimal("0.01")


def rate_on(rates: list[dict[str, str]], currency: str, day: str) -> Optional[Decimal]:
    """The newest rate that is not newer than the day."""
    known = [r for r in rates if r["currency"] == currency and r["date"] <= day]
    if not known:
        return None
    known.sort(key=lambda r: r["date"])
    return Decimal(known[-1]["rate"])


def balance_ledger(
    entries: list[dict[str, Any]],
    rates: list[dict[str, str]],
    base: str = "EUR",
) -> dict[str, Any]:
    """Trial balance of journal entries in several currencies.

    Each entry has lines with an account and an amount (positive for debit,
    negative for credit) and must balance in its own currency. Amounts are
    converted to the base currency line by line; what the rounding leaves over
    goes to the account "Rounding".
    """
    balances: dict[str, Decimal] = {}
    turnover: dict[str, dict[str, Decimal]] = {}
    rejected = []

    for entry in sorted(entries, key=lambda e: (e["date"], e["id"])):
        lines = entry.get("lines", [])
        if len(lines) < 2:
            rejected.append({"id": entry["id"], "reason": "too few lines"})
            continue
        difference = sum(Decimal(line["amount"]) for line in lines)
        if difference != 0:
            rejected.append({"id": entry["id"], "reason": f"out of balance by {difference}"})
            continue
        currency = entry.get("currency", base)
        if currency != base and rate_on(rates, currency, entry["date"]) is None:
            rejected.append({"id": entry["id"], "reason": f"no rate for {currency}"})
            continue

        left_over = Decimal(0)
        for line in lines:
            amount = Decimal(line["amount"])
            if currency != base:
                amount = amount * rate_on(rates, currency, entry["date"])
            amount = amount.quantize(CENT, rounding=ROUND_HALF_EVEN)
            left_over -= amount
            account = line["account"]
            balances[account] = balances.get(account, Decimal(0)) + amount
            month = turnover.setdefault(entry["date"][:7], {})
            month[account] = month.get(account, Decimal(0)) + abs(amount)
        if left_over != 0:
            balances["Rounding"] = balances.get("Rounding", Decimal(0)) + left_over

    return {
        "balances": {account: str(balances[account]) for account in sorted(balances) if balances[account] != 0},
        "busiest": {month: max(sorted(turnover[month]), key=lambda a: turnover[month][a]) for month in sorted(turnover)},
        "rejected": rejected,
    }


def inputs():
    state = 41

    def draw(count):
        nonlocal state
        state = state * 48271 % 2147483647
        return state % count

    def day():
        return f"2024-{1 + draw(6):02}-{1 + draw(28):02}"

    def money(cents):
        return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02}"

    def call(count, rate_count):
        rates = [
            {
                "date": f"2024-{1 + at // 28 % 6:02}-{1 + at % 28:02}",
                "currency": ["USD", "GBP", "CHF"][at % 3],
                "rate": f"0.{8000 + draw(1900)}",
            }
            for at in range(rate_count)
        ]
        entries = []
        for number in range(count):
            amounts = [100 + draw(90000) for _ in range(1 + draw(3))]
            amounts.append(-sum(amounts) + (1 if draw(20) == 0 else 0))
            accounts = ["Bank", "Sales", "Rent", "Travel", "Wages", "Tax", "Office"]
            entry = {
                "id": number + 1,
                "date": day(),
                "lines": [{"account": accounts[draw(7)], "amount": money(amount)} for amount in amounts],
            }
            if draw(3):
                entry["currency"] = ["EUR", "USD", "GBP", "CHF", "USD", "JPY"][draw(6)]
            entries.append(entry)
        return [entries, rates]

    return [call(3, 6), call(20, 30), call(60, 80), call(240, 160)]
