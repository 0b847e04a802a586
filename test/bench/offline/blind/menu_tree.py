"""The pages of a site as an indented menu, from rows that name their parents."""


def menu_tree(rows, max_depth):
    lines = []

    def children_of(parent):
        found = []
        for row in rows:
            if row["parent"] == parent:
                found.append(row)
        return sorted(found, key=lambda row: (row["position"], row["title"]))

    def visit(row, depth):
        count = len(children_of(row["id"]))
        label = row["title"]
        if count > 0:
            label = label + " (" + str(count) + ")"
        lines.append("  " * depth + "- " + label)
        if depth + 1 < max_depth:
            for child in children_of(row["id"]):
                visit(child, depth + 1)

    for row in children_of(None):
        visit(row, 0)
    known = [row["id"] for row in rows]
    orphans = [row["title"] for row in rows if row["parent"] is not None and row["parent"] not in known]
    if orphans:
        lines.append("? " + ", ".join(sorted(orphans)))
    return "\n".join(lines)


def inputs():
    return [
        [
            [
                {"id": 1, "parent": None, "title": "Home", "position": 1},
                {"id": 2, "parent": 1, "title": "News", "position": 2},
                {"id": 3, "parent": 1, "title": "About", "position": 1},
                {"id": 4, "parent": 2, "title": "Archive", "position": 1},
                {"id": 5, "parent": None, "title": "Help", "position": 2},
                {"id": 6, "parent": 99, "title": "Lost", "position": 1},
            ],
            3,
        ],
        [[{"id": 1, "parent": None, "title": "Only", "position": 1}], 2],
    ]
