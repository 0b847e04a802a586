"""Groups contacts that are probably duplicates and merges the fields of every group."""
import re


def clean_name(name):
    words = re.sub(r'[^\w ]', ' ', name.lower()).split()
    return ' '.join(sorted(words))


def clean_phone(phone):
    return re.sub(r'\D', '', phone)[-8:]


def edit_distance(left, right):
    table = [[0] * (len(right) + 1) for _ in range(len(left) + 1)]
    for i in range(len(left) + 1):
        table[i][0] = i
    for j in range(len(right) + 1):
        table[0][j] = j
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            cost = 0 if left[i - 1] == right[j - 1] else 1
            table[i][j] = min(table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + cost)
    return table[len(left)][len(right)]


def name_similarity(first, second):
    left, right = clean_name(first['name']), clean_name(second['name'])
    longest = max(len(left), len(right))
    return 1 - edit_distance(left, right) / longest if longest else 0


def same_person(first, second, threshold):
    similarity = name_similarity(first, second)
    if first.get('email') and second.get('email'):
        if first['email'].strip().lower() == second['email'].strip().lower():
            return True
    if first.get('phone') and second.get('phone'):
        if clean_phone(first['phone']) == clean_phone(second['phone']):
            return similarity >= threshold / 2
    return similarity >= threshold and first.get('city') == second.get('city')


def merge_fields(group):
    merged = {}
    for contact in group:
        for field, value in contact.items():
            if value and len(str(value)) > len(str(merged.get(field, ''))):
                merged[field] = value
    return merged


def find_duplicate_contacts(contacts, threshold=0.85):
    if not 0 < threshold <= 1:
        raise ValueError('the threshold must be above 0 and at most 1')
    groups = []
    for contact in contacts:
        similar = [g for g in groups if any(same_person(contact, other, threshold) for other in g)]
        joined = [other for group in similar for other in group] + [contact]
        groups = [group for group in groups if group not in similar] + [joined]
    duplicates = []
    for group in groups:
        if len(group) > 1:
            ids = sorted(contact['id'] for contact in group)
            duplicates.append({'ids': ids, 'merged': merge_fields(group)})
    duplicates.sort(key=lambda entry: (-len(entry['ids']), entry['ids']))
    return {'duplicates': duplicates, 'single': len([g for g in groups if len(g) == 1])}


def inputs():
    state = [79]

    def pick(count):
        state[0] = state[0] * 16807 % 2147483647
        return state[0] % count

    firsts = ['Anna', 'Peter', 'Maria', 'John', 'Laura', 'Simon', 'Clara', 'David']
    lasts = ['Miller', 'Schmidt', 'Garcia', 'Novak', 'Olsen', 'Rossi', 'Weber', 'Brown']

    def case(count):
        contacts = []
        for index in range(count):
            first, last = firsts[pick(8)], lasts[pick(8)]
            name = first + ' ' + last if pick(3) else last + ', ' + first
            if pick(5) == 0:
                name = name.replace('i', 'y')
            contact = {'id': index + 1, 'name': name, 'city': ['Oslo', 'Graz', 'Lyon'][pick(3)]}
            if pick(3) == 0:
                contact['email'] = '%s.%s%d@example.org' % (first, last, pick(4))
            if pick(3) == 0:
                contact['phone'] = '+43 660 %d' % (1000000 + pick(30) * 7919)
            contacts.append(contact)
        return [contacts, 0.85]

    return [case(2), case(8), case(20), case(33)]
