"""Assigns bank payments to open invoices by the number in their text, or else by amount and payer."""
import re

LEGAL_FORMS = ['ltd', 'inc', 'gmbh', 'llc', 'co', 'ag']


def compact(text):
    return re.sub(r'[^a-z0-9]', '', text.lower())


def name_words(name):
    words = re.sub(r'[^\w ]', ' ', name.lower()).split()
    return [word for word in words if word not in LEGAL_FORMS]


def mentions(text, number):
    pattern = re.escape(compact(number)) + r'(?!\d)'
    return compact(number) != '' and re.search(pattern, compact(text)) is not None


def same_party(payer, customer):
    shared = [word for word in name_words(customer) if word in name_words(payer)]
    return len(shared) > 0 and len(shared) * 2 >= len(name_words(customer))


def find_invoice(payment, open_invoices, tolerance):
    by_number = [i for i in open_invoices if mentions(payment.get('text', ''), i['number'])]
    if by_number:
        return sorted(by_number, key=lambda i: (i['due'], i['number']))[0], 'number'
    by_amount = []
    for invoice in open_invoices:
        close = abs(invoice['left'] - payment['amount']) <= tolerance
        if same_party(payment['payer'], invoice['customer']) and close:
            by_amount.append(invoice)
    if by_amount:
        return sorted(by_amount, key=lambda i: (i['due'], i['number']))[0], 'amount'
    return None, None


def match_bank_payments(payments, invoices, tolerance=0):
    open_invoices = [{**invoice, 'left': invoice['amount']} for invoice in invoices]
    matches = []
    unmatched = []
    for payment in sorted(payments, key=lambda p: (p['date'], p['id'])):
        if payment['amount'] <= 0:
            raise ValueError('payment %s has no positive amount' % payment['id'])
        invoice, how = find_invoice(payment, open_invoices, tolerance)
        if invoice is None:
            unmatched.append(payment['id'])
            continue
        difference = payment['amount'] - invoice['left']
        invoice['left'] = max(0, -difference)
        matches.append({
            'payment': payment['id'],
            'invoice': invoice['number'],
            'by': how,
            'excess': max(0, difference),
            'left': invoice['left'],
            'late': payment['date'] > invoice['due'],
        })
        open_invoices = [i for i in open_invoices if i['left'] > tolerance]
    overdue = {}
    for invoice in open_invoices:
        overdue[invoice['customer']] = overdue.get(invoice['customer'], 0) + invoice['left']
    return {
        'matches': matches,
        'unmatched': unmatched,
        'open': sorted(invoice['number'] for invoice in open_invoices),
        'open_by_customer': overdue,
    }


def inputs():
    state = [11]

    def pick(count):
        state[0] = state[0] * 16807 % 2147483647
        return state[0] % count

    firsts = ['North', 'Baker', 'Hill', 'Stone', 'River', 'Green', 'Lake', 'Miller', 'Young', 'West']
    seconds = ['Trading Ltd', 'Foods', 'Systems GmbH', 'Logistics Inc', 'Print & Copy', 'Design Co']

    def case(payment_count, invoice_count):
        invoices = []
        for index in range(invoice_count):
            invoices.append({
                'number': 'INV-%05d' % (20100 + index),
                'customer': firsts[pick(10)] + ' ' + seconds[pick(6)],
                'amount': (1 + pick(90)) * 500,
                'due': '2024-%02d-%02d' % (1 + pick(6), 1 + pick(28)),
            })
        payments = []
        for index in range(payment_count):
            invoice = invoices[pick(invoice_count)]
            kind = pick(4)
            payments.append({
                'id': 'P%d' % index,
                'payer': invoice['customer'].upper(),
                'amount': invoice['amount'] if kind != 1 else invoice['amount'] // 2 + 1,
                'text': 'Payment for ' + invoice['number'].replace('-', ' ') if kind < 2 else 'Thank you',
                'date': '2024-%02d-%02d' % (2 + pick(6), 1 + pick(28)),
            })
        return [payments, invoices, pick(3) * 50]

    return [case(1, 1), case(8, 10), case(25, 30), case(55, 75)]
