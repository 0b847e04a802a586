/** Combines the ingredients of several recipes into one shopping list, less the pantry, sorted by aisle. */

const UNITS = [
  { unit: 'g', base: 'g', factor: 1 },
  { unit: 'kg', base: 'g', factor: 1000 },
  { unit: 'ml', base: 'ml', factor: 1 },
  { unit: 'l', base: 'ml', factor: 1000 },
  { unit: 'tsp', base: 'ml', factor: 5 },
  { unit: 'tbsp', base: 'ml', factor: 15 },
  { unit: 'piece', base: 'piece', factor: 1 },
];

function toBase(amount, unit) {
  const known = UNITS.find((entry) => entry.unit === unit);
  if (known === undefined) {
    throw new Error(`Unknown unit: ${unit}`);
  }
  return { amount: amount * known.factor, base: known.base };
}

function ingredientKey(name) {
  const plain = name.toLowerCase().trim().replace(/\s+/g, ' ');
  return plain.endsWith('s') && !plain.endsWith('ss') ? plain.slice(0, -1) : plain;
}

function sameItem(item, name, base) {
  return ingredientKey(item.name) === ingredientKey(name) && item.base === base;
}

function display(item) {
  const large = item.amount >= 1000 && item.base !== 'piece';
  const unit = large ? (item.base === 'g' ? 'kg' : 'l') : item.base;
  const amount = large ? Math.ceil(item.amount / 10) / 100 : Math.ceil(item.amount);
  return { name: ingredientKey(item.name), amount, unit, recipes: item.recipes };
}

function aisleOf(item, aisles) {
  const found = aisles.find((aisle) => aisle.items.some((name) => ingredientKey(name) === ingredientKey(item.name)));
  return found === undefined ? 'other' : found.name;
}

export function buildShoppingList(recipes, guests, pantry = [], aisles = []) {
  const items = [];
  for (const recipe of recipes) {
    if (!(recipe.serves > 0)) {
      throw new Error(`Recipe ${recipe.name} serves nobody`);
    }
    for (const ingredient of recipe.ingredients) {
      const { amount, base } = toBase((ingredient.amount * guests) / recipe.serves, ingredient.unit ?? 'piece');
      const known = items.find((item) => sameItem(item, ingredient.name, base));
      if (known === undefined) {
        items.push({ name: ingredient.name, amount, base, recipes: [recipe.name] });
      } else {
        known.amount += amount;
        if (!known.recipes.includes(recipe.name)) {
          known.recipes.push(recipe.name);
        }
      }
    }
  }
  for (const stored of pantry) {
    const { amount, base } = toBase(stored.amount, stored.unit ?? 'piece');
    const known = items.find((item) => sameItem(item, stored.name, base));
    if (known !== undefined) {
      known.amount -= amount;
    }
  }
  const missing = items.filter((item) => item.amount > 0.001);
  const names = [...new Set(missing.map((item) => aisleOf(item, aisles)))].sort();
  return names.map((name) => ({
    aisle: name,
    items: missing
      .filter((item) => aisleOf(item, aisles) === name)
      .map(display)
      .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)),
  }));
}

export function inputs() {
  let state = 83;
  const pick = (count) => {
    state = (state * 16807) % 2147483647;
    return state % count;
  };
  const kinds = ['Tomato', 'Onion', 'Carrot', 'Apple', 'Bean', 'Pepper', 'Lentil', 'Mushroom', 'Olive', 'Noodle'];
  const sorts = ['red', 'green', 'small', 'large', 'dried', 'fresh', 'smoked', 'sweet'];
  const units = ['g', 'kg', 'ml', 'tbsp', 'piece'];
  const ingredientName = () => `${sorts[pick(8)]} ${kinds[pick(10)]}${pick(2) ? 's' : ''}`;
  const one = (recipeCount, pantryCount) => {
    const recipes = Array.from({ length: recipeCount }, (_, index) => ({
      name: `Recipe ${index + 1}`,
      serves: 2 + pick(5),
      ingredients: Array.from({ length: 4 + pick(8) }, () => ({
        name: ingredientName(),
        amount: 1 + pick(9),
        unit: units[pick(5)],
      })),
    }));
    const pantry = Array.from({ length: pantryCount }, () => ({ name: ingredientName(), amount: 5, unit: units[pick(5)] }));
    const aisles = ['canned', 'vegetables', 'dry goods'].map((name, index) => ({
      name,
      items: Array.from({ length: 16 }, (_, item) => `${sorts[(item + index) % 8]} ${kinds[(item * 3 + index) % 10]}`),
    }));
    return [recipes, 4 + pick(6), pantry, aisles];
  };
  return [one(1, 0), one(4, 3), one(12, 10), one(36, 25)];
}
