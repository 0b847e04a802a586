"""Pairs each payment of a bank statement with the first invoice of that amount that is still open."""


def reconcile(payments, invoices):
    matched = []
    used = []
    unmatched = []
    for payment in payments:
        found = None
        for index, invoice in enumerate(invoices):
            if index in used:
                continue
            if invoice["amount"] == payment["amount"] and invoice["customer"] == payment["customer"]:
                found = index
                break
        if found is None:
            unmatched.append(payment["id"])
        else:
            used.append(found)
            matched.append((payment["id"], invoices[found]["number"]))
    still_open = [invoice["number"] for index, invoice in enumerate(invoices) if index not in used]
    return {"matched": matched, "unmatched": unmatched, "open": still_open}


def inputs():
    return [
        [
            [{"id": 1, "customer": "ann", "amount": 100}, {"id": 2, "customer": "bob", "amount": 70}],
            [
                {"number": "R1", "customer": "ann", "amount": 100},
                {"number": "R2", "customer": "bob", "amount": 75},
                {"number": "R3", "customer": "ann", "amount": 100},
            ],
        ],
        [[{"id": 9, "customer": "eve", "amount": 5}], []],
    ]
