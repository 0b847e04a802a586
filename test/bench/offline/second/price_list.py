"""Applies the rules of a sale to a list of products, which itself stays as it is, and returns the new price list."""

import copy


def price_list(products, rules):
    result = copy.deepcopy(products)
    for index in range(len(result)):
        for rule in rules:
            if matches(result[index], rule):
                result[index] = with_rule(result[index], rule)
    return [product for product in result if product["cents"] > 0]


def matches(product, rule):
    if rule["category"] != "*" and rule["category"] != product["category"]:
        return False
    if rule.get("tag") is not None and rule["tag"] not in product["tags"]:
        return False
    return product["cents"] >= rule.get("from", 0)


def with_rule(product, rule):
    changed = copy.deepcopy(product)
    if "percent" in rule:
        changed["cents"] -= changed["cents"] * rule["percent"] // 100
    else:
        changed["cents"] = max(0, changed["cents"] - rule["off"])
    changed.setdefault("applied", []).append(rule["name"])
    return changed


def inputs():
    products = [
        {"sku": "a1", "category": "shoes", "cents": 4999, "tags": ["summer", "red"]},
        {"sku": "b2", "category": "hats", "cents": 1500, "tags": []},
        {"sku": "c3", "category": "hats", "cents": 200, "tags": ["summer"]},
    ]
    rules = [
        {"name": "summer", "category": "*", "tag": "summer", "percent": 20},
        {"name": "hats", "category": "hats", "off": 200},
        {"name": "dear", "category": "*", "from": 3000, "percent": 5},
    ]
    return [[products, rules], [products, rules[1:2]], [[], rules]]
