"""The invoices of a month as one text, customer by customer."""


def invoice_text(lines, vat):
    customers = sorted(set(line["customer"] for line in lines))
    text = ""
    grand = 0
    for customer in customers:
        text += "Invoice for " + customer + "\n"
        text += "-" * 30 + "\n"
        net = 0
        number = 0
        for line in lines:
            if line["customer"] != customer:
                continue
            number += 1
            amount = line["quantity"] * line["price"]
            net += amount
            text += "%2d. %-12s %3d x %7.2f = %9.2f\n" % (number, line["item"], line["quantity"], line["price"], amount)
        tax = round(net * vat / 100, 2)
        text += "net %.2f, tax %.2f, to pay %.2f\n\n" % (net, tax, net + tax)
        grand += net + tax
    text += "All invoices: %.2f" % grand
    return text


def inputs():
    return [
        [
            [
                {"customer": "Nord AS", "item": "paper", "quantity": 10, "price": 3.5},
                {"customer": "Fjord AS", "item": "ink", "quantity": 2, "price": 19.9},
                {"customer": "Nord AS", "item": "pens", "quantity": 25, "price": 0.8},
                {"customer": "Elv AS", "item": "stamps", "quantity": 100, "price": 1.2},
            ],
            25,
        ],
        [[{"customer": "A", "item": "b", "quantity": 1, "price": 2.0}], 0],
    ]
