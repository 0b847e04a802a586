"""Breaks orders of assembled products down into the basic parts to buy, with stock, cost and lead time."""


def children_of(part, rows):
    return [row for row in rows if row['part'] == part]


def add_basic_parts(part, quantity, rows, needed, path):
    if part in path:
        raise ValueError('part contains itself: ' + ' > '.join(path + [part]))
    children = children_of(part, rows)
    if not children:
        needed[part] = needed.get(part, 0) + quantity
    for row in children:
        add_basic_parts(row['child'], quantity * row['quantity'], rows, needed, path + [part])


def lead_days(part, rows, catalog):
    """Days until one piece of the part can be ready: the slowest child, then one day of assembly."""
    children = children_of(part, rows)
    if not children:
        return catalog.get(part, {}).get('days', 0)
    return 1 + max(lead_days(row['child'], rows, catalog) for row in children)


def purchase_line(part, quantity, stock, catalog):
    entry = catalog.get(part)
    if entry is None:
        raise KeyError('no catalog entry for ' + part)
    missing = max(0, quantity - stock.get(part, 0))
    pack = entry.get('pack', 1)
    packs = (missing + pack - 1) // pack
    return {
        'part': part,
        'needed': quantity,
        'to_buy': packs * pack,
        'cost': packs * pack * entry['price'],
        'supplier': entry.get('supplier', 'unknown'),
    }


def explode_parts_list(orders, rows, catalog, stock=None):
    needed = {}
    deliveries = []
    for order in orders:
        if order['quantity'] < 1:
            raise ValueError('order of %s has no quantity' % order['part'])
        add_basic_parts(order['part'], order['quantity'], rows, needed, [])
        deliveries.append({'part': order['part'], 'days': lead_days(order['part'], rows, catalog)})
    lines = [purchase_line(part, needed[part], stock or {}, catalog) for part in sorted(needed)]
    suppliers = []
    for name in sorted(set(line['supplier'] for line in lines)):
        own = [line for line in lines if line['supplier'] == name and line['to_buy'] > 0]
        if own:
            suppliers.append({
                'supplier': name,
                'parts': [line['part'] for line in own],
                'cost': sum(line['cost'] for line in own),
            })
    return {
        'lines': lines,
        'suppliers': suppliers,
        'total': sum(line['cost'] for line in lines),
        'deliveries': deliveries,
    }


def inputs():
    state = [41]

    def pick(count):
        state[0] = state[0] * 16807 % 2147483647
        return state[0] % count

    def case(levels, width, order_count):
        rows = []
        for level in range(levels - 1):
            for index in range(width):
                for child in range(2 + pick(2)):
                    rows.append({
                        'part': 'L%d-%d' % (level, index),
                        'child': 'L%d-%d' % (level + 1, (index + child * 3 + pick(3)) % width),
                        'quantity': 1 + pick(4),
                    })
        catalog = {}
        stock = {}
        for index in range(width):
            name = 'L%d-%d' % (levels - 1, index)
            catalog[name] = {'price': 5 + pick(400), 'pack': [1, 10, 25][pick(3)], 'days': 1 + pick(20)}
            if pick(5) > 0:
                catalog[name]['supplier'] = 'Supplier %d' % pick(6)
            if pick(2) == 0:
                stock[name] = pick(500)
        orders = [{'part': 'L0-%d' % pick(width), 'quantity': 1 + pick(9)} for _ in range(order_count)]
        return [orders, rows, catalog, stock]

    return [case(2, 2, 1), case(3, 4, 3), case(4, 10, 8), case(5, 16, 12)]
