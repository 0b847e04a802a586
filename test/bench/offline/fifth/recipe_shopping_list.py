"""Turns a week's meal plan into one shopping list."""

UNITS = {"g": ("g", 1), "kg": ("g", 1000), "ml": ("ml", 1), "l": ("ml", 1000), "tbsp": ("ml", 15), "": ("piece", 1)}


def to_base(amount, unit):
    if unit not in UNITS:
        raise ValueError(f"unknown unit: {unit}")
    base, factor = UNITS[unit]
    return amount * factor, base


def pretty(amount, base):
    if base == "g" and amount >= 1000:
        return f"{amount / 1000:g} kg"
    if base == "ml" and amount >= 1000:
        return f"{amount / 1000:g} l"
    if base == "piece":
        # Nobody sells half an egg.
        return str(-int(-amount // 1))
    return f"{round(amount, 1):g} {base}"


def recipe_named(recipes, name):
    matches = [recipe for recipe in recipes if recipe["name"].strip().lower() == name.strip().lower()]
    return matches[0] if matches else None


def stock_of(pantry, name, base):
    total = 0
    for item in pantry:
        amount, unit = to_base(item["amount"], item.get("unit", ""))
        if item["name"].lower() == name and unit == base:
            total += amount
    return total


def recipe_shopping_list(recipes, plan, pantry):
    needed = []
    missing = []
    for meal in plan:
        recipe = recipe_named(recipes, meal["recipe"])
        if recipe is None:
            missing.append(meal["recipe"])
            continue
        scale = meal.get("servings", recipe["serves"]) / recipe["serves"]
        for ingredient in recipe["ingredients"]:
            amount, base = to_base(ingredient["amount"] * scale, ingredient.get("unit", ""))
            name = ingredient["name"].lower()
            for entry in needed:
                if entry["name"] == name and entry["base"] == base:
                    entry["amount"] += amount
                    entry["meals"].append(recipe["name"])
                    break
            else:
                needed.append({"name": name, "base": base, "amount": amount, "meals": [recipe["name"]]})

    lines = []
    for entry in sorted(needed, key=lambda entry: (entry["name"], entry["base"])):
        to_buy = entry["amount"] - stock_of(pantry, entry["name"], entry["base"])
        if to_buy <= 0:
            continue
        meals = sorted(set(entry["meals"]))
        lines.append({"item": entry["name"], "buy": pretty(to_buy, entry["base"]), "for": meals})
    return {"lines": lines, "missing": missing}


def inputs():
    seed = 77003

    def below(limit):
        nonlocal seed
        seed = (seed * 1664525 + 1013904223) % 4294967296
        return seed // 65536 % limit

    foods = ["Flour", "sugar", "Butter", "egg", "milk", "salt", "tomato", "onion", "Rice", "oil", "lentils",
             "carrot", "leek", "cream", "basil", "garlic", "pasta", "beans", "Apple", "lemon"]
    units = ["g", "g", "kg", "ml", "tbsp", "l", ""]

    def portion():
        unit = units[below(len(units))]
        amount = 1 + below(3) if unit in ("kg", "l", "tbsp", "") else 50 * (1 + below(8))
        item = {"name": foods[below(len(foods))], "amount": amount}
        if unit or below(2):
            item["unit"] = unit
        return item

    calls = []
    for recipe_count, meals, stored in [(1, 1, 0), (4, 5, 4), (20, 14, 20), (80, 70, 60)]:
        recipes = [
            {"name": f"Dish {number}", "serves": 2 + below(3), "ingredients": [portion() for _ in range(3 + below(7))]}
            for number in range(recipe_count)
        ]
        plan = []
        for _ in range(meals):
            meal = {"recipe": f"dish {below(recipe_count + 1)}"}
            if below(3):
                meal["servings"] = 1 + below(8)
            plan.append(meal)
        calls.append([recipes, plan, [portion() for _ in range(stored)]])
    return calls
