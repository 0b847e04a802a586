/**
 * Candidate calls: typed operators over known calls, crossed arguments, optional parameters, and fresh values of the same
 * shapes. Pure: a seed decides everything.
 */
import type { Random } from '../../random.ts';
import type { Value } from '../function/values.ts';
import { intruderIn, leavesOf } from './intruders.ts';
import { MOST_STEPS } from './methods.ts';
import { type CallSlot, givenOf, slotsOf, valueAt, without, withValue } from './values/call-slots.ts';
import { type Draft, dictionary, itemsOf, keyOf, kindOf, type Language, pairsOf, type Step, sequence } from './values/data.ts';
import { type Constants, Grower } from './values/grow.ts';
import { keysIn, nameFor, nested, nestedItems } from './values/nesting.ts';
import { variants, vary } from './values/operators.ts';
import { hasNames, reordered, withCircle, withOtherEverywhere, withRelated, withTwin } from './values/related.ts';
import { emptyShape, holdsKnown, mergeShapes, type Shape, shapeOf } from './values/shape.ts';
import { hasDecisive, withDecisive } from './values/strings.ts';
import { numbersFor, respelled, vocabularyOf, wordsOf } from './values/vocabulary.ts';

/** What is known of an optional parameter that calls may leave out. */
export interface OptionalSlot {
  readonly of: 'call' | 'init';
  /** Its place among the positional arguments. */
  readonly index: number;
  /** In Python, where it may be given by name. */
  readonly name: string | undefined;
  readonly examples: readonly Value[];
  /** It is always given: its type only says what else it may hold, such as fields that no known call has. */
  readonly needed: boolean;
}

/** Calls that are kept to be tried because of a result, and the share of a round that they may take. */
const MOST_FED_BACK = 200;
const MOST_FED_SHARE = 1 / 6;
/** Direct variants of one argument. */
const MOST_VARIANTS = 40;
/** Numbers of the known calls that others are made from. */
const MOST_NUMBERS = 60;

/** Places of one method have one name, in whatever call before another. */
const nameOf = (draft: Draft, { of, at, step = 0 }: CallSlot): string =>
  `${of === 'before' ? `before ${draft.before?.[step]?.method}` : of} ${at}`;

/** Makes calls from those that are known, without repeating one. */
export class Candidates {
  private readonly grower: Grower;
  private readonly random: Random;
  private readonly shapes = new Map<string, Shape>();
  private readonly made = new Set<string>();
  private readonly optional: readonly OptionalSlot[];
  private readonly known: readonly Draft[];
  private readonly words: readonly string[];
  private readonly numbers: readonly number[];
  private readonly freshInstances: boolean;
  /** Known calls hold items that name each other. */
  private readonly namesItems: boolean;
  /** Calls before others, as examples. */
  private readonly steps: readonly Step[];
  private readonly fits: (draft: Draft) => boolean;
  /** Places that no known call fills: the kinds of their items are a guess. */
  private readonly guessed = new Set<string>();
  private fedBack: Draft[] = [];

  /** `known`: calls whose values say what kinds may occur. Calls that do not pass `fits` are made as intruders only. */
  constructor(
    known: readonly Draft[],
    random: Random,
    language: Language,
    constants: Constants,
    optional: readonly OptionalSlot[] = [],
    freshInstances = false,
    fits: (draft: Draft) => boolean = () => true,
  ) {
    this.fits = fits;
    this.freshInstances = freshInstances;
    this.known = known;
    this.random = random;
    this.words = wordsOf(known);
    this.namesItems = known.some(hasNames);
    const leaves = known.flatMap((draft) => slotsOf(draft).flatMap((slot) => leavesOf(valueAt(draft, slot) ?? null)));
    this.numbers = leaves
      .filter((leaf): leaf is number => kindOf(leaf) === 'int' && typeof leaf === 'number')
      .slice(0, MOST_NUMBERS);
    this.grower = new Grower(random, language, constants, this.words);
    this.optional = optional;
    this.steps = known.flatMap(({ before = [] }) => before);
    const values = new Map<string, Value[]>();
    for (const draft of known) {
      for (const slot of slotsOf(draft)) {
        const name = nameOf(draft, slot);
        const found = values.get(name) ?? [];
        values.set(name, found);
        found.push(valueAt(draft, slot) ?? null);
      }
      this.made.add(keyOf(draft));
    }
    for (const [name, found] of values) this.shapes.set(name, shapeOf(found));
    for (const { of, index, name, examples } of optional) {
      for (const at of [index, ...(name === undefined ? [] : [name])]) {
        const place = `${of} ${at}`;
        const shape = this.shapes.get(place) ?? emptyShape();
        if (shape.kinds.size === 0) this.guessed.add(place);
        this.shapes.set(place, mergeShapes(shape, shapeOf(examples)));
      }
    }
  }

  private shapeAt(draft: Draft, slot: CallSlot): Shape {
    return this.shapes.get(nameOf(draft, slot)) ?? emptyShape();
  }

  /** Counts a call as made; false when it was before. */
  private isNew(draft: Draft): boolean {
    const key = keyOf(draft);
    if (this.made.has(key)) return false;
    this.made.add(key);
    return true;
  }

  /** Every direct variant of every argument, in turns over the calls, up to `most`. */
  systematic(most: number): Draft[] {
    const queues = this.known
      .slice(0, 24)
      .flatMap((draft) =>
        [...slotsOf(draft).map((slot) => this.variantsAt(draft, slot)), this.optionals(draft)].filter(({ length }) => length > 0),
      );
    const found: Draft[] = [];
    for (let turn = 0; turn < MOST_VARIANTS && found.length < most; turn++) {
      for (const queue of queues) {
        const draft = queue[turn];
        if (draft !== undefined && found.length < most && this.fits(draft) && this.isNew(draft)) found.push(draft);
      }
    }
    return found;
  }

  private variantsAt(draft: Draft, slot: CallSlot): Draft[] {
    const value = valueAt(draft, slot) ?? null;
    return variants(value, this.shapeAt(draft, slot), this.grower).map((other) => withValue(draft, slot, other));
  }

  /** Makes calls with optional parameters given or left out. */
  private optionals(draft: Draft): Draft[] {
    const found: Draft[] = [];
    for (const { of, index, name, examples, needed } of this.optional) {
      if (needed) continue;
      const given = givenOf(draft, { of, at: index });
      const slot: CallSlot = { of, at: name === undefined || index < given.args.length ? index : name };
      const there = valueAt(draft, slot) !== undefined;
      if (there && (typeof slot.at === 'string' || index === given.args.length - 1)) found.push(without(draft, slot));
      if (!there && (typeof slot.at === 'string' || index === given.args.length)) {
        found.push(...examples.map((value) => withValue(draft, slot, value)));
      }
    }
    const full = this.withAllOptional(draft);
    return full === draft ? found : [...found, full];
  }

  /** With every optional parameter that has a place behind the given ones: some branches need several of them. */
  private withAllOptional(draft: Draft): Draft {
    let made = draft;
    for (const { of, index, examples, needed } of this.optional) {
      if (needed || examples.length === 0 || index !== givenOf(made, { of, at: index }).args.length) continue;
      made = withValue(made, { of, at: index }, this.random.pick(examples));
    }
    return made;
  }

  /**
   * Calls with one value that the known calls do not have in that place: half a number, another sign, another kind. They are
   * only worth comparing where the original rejects them on purpose.
   */
  intruders(bases: readonly Draft[], count: number): Draft[] {
    const found: Draft[] = [];
    for (let tries = 0; found.length < count && tries < count * 4 && bases.length > 0; tries++) {
      const draft = this.random.pick(bases);
      const slots = slotsOf(draft);
      if (slots.length === 0) continue;
      const slot = this.random.pick(slots);
      const made = withValue(draft, slot, intruderIn(valueAt(draft, slot) ?? null, this.grower));
      if (this.isNew(made)) found.push(made);
    }
    return found;
  }

  /**
   * The call gave these values: they stand in a place of the same call next, in a field of one, or one more among its items. So a
   * name that is made to be new is taken the next time, what was sorted is sorted again, and the next page is asked for.
   */
  feedBack(draft: Draft, gave: readonly Value[]): void {
    const next = this.optional.filter(({ of, index }) => index === givenOf(draft, { of, at: index }).args.length);
    const slots = [...slotsOf(draft), ...next.map(({ of, index }) => ({ of, at: index }))];
    for (const slot of slots) {
      const value = valueAt(draft, slot);
      const { kinds, sequences, dict } = this.shapeAt(draft, slot);
      const fields = dict?.record === true && value !== undefined ? [...dict.fields.values()] : [];
      for (const one of gave) {
        const kind = kindOf(one);
        for (const { key } of fields.filter(({ shape }) => shape.kinds.has(kind)))
          this.fedBack.push(withValue(draft, slot, dictionary([...pairsOf(value ?? null), [key, one]])));
        if (kinds.has(kind)) this.fedBack.push(withValue(draft, slot, one));
        for (const [of, { item }] of sequences) {
          const isAlike = item.kinds.has(kind) || item.kinds.size === 0;
          if (!isAlike && !this.guessed.has(nameOf(draft, slot))) continue;
          const items = isAlike && value !== undefined && kindOf(value) === of ? itemsOf(value) : [];
          this.fedBack.push(withValue(draft, slot, sequence(of, [...items, one])));
        }
      }
    }
    this.fedBack = this.fedBack.slice(-MOST_FED_BACK);
  }

  /** Random changes of the given calls: one to three steps each, or arguments crossed, or fresh values; what was fed back first. */
  around(bases: readonly Draft[], count: number): Draft[] {
    const found: Draft[] = [];
    for (let draft = this.fedBack.pop(); draft !== undefined; draft = this.fedBack.pop()) {
      if (this.fits(draft) && this.isNew(draft)) found.push(draft);
      if (found.length >= count * MOST_FED_SHARE) break;
    }
    for (let tries = 0; found.length < count && tries < count * 4 && bases.length > 0; tries++) {
      const draft = this.next(bases);
      if (this.fits(draft) && this.isNew(draft)) found.push(draft);
    }
    return found;
  }

  private next(bases: readonly Draft[]): Draft {
    const { random } = this;
    let draft = random.pick(bases);
    // An instance of its own, where all others share one.
    if (this.freshInstances && draft.init === undefined && random.next() < 0.3)
      draft = { ...draft, init: { args: [], kwargs: {} } };
    if (this.steps.length > 0 && random.next() < 0.6) {
      draft = this.withOtherSteps(draft);
      if (random.next() < 0.4) return draft;
    }
    if (random.next() < 0.12) return withRelated(draft, random, this.grower.language);
    if (this.grower.constants.twins === true && random.next() < 0.12)
      return withTwin(random.next() < 0.5 ? this.withCopy(draft, true) : draft, random, this.grower.language);
    if (this.namesItems && random.next() < 0.1) return withCircle(draft, random);
    if (random.next() < 0.05) return withOtherEverywhere(draft, this.grower);
    if (hasDecisive(this.grower.constants) && random.next() < 0.1) {
      for (const slot of slotsOf(draft)) draft = withValue(draft, slot, withDecisive(valueAt(draft, slot) ?? null, this.grower));
      return draft;
    }
    const special = random.next();
    if (special < 0.25) return this.inOneVocabulary(draft);
    if (special < 0.4 && this.grower.constants.nests.length > 0) return this.withNesting(draft);
    const draw = random.next();
    if (draw < 0.2) {
      for (const slot of slotsOf(draft)) draft = withValue(draft, slot, this.grower.grow(this.shapeAt(draft, slot)));
      return draft;
    }
    if (draw < 0.35 && bases.length > 1) {
      const other = random.pick(bases);
      const shared = slotsOf(draft).filter((slot) => valueAt(other, slot) !== undefined);
      if (shared.length > 0) {
        const slot = random.pick(shared);
        draft = withValue(draft, slot, valueAt(other, slot) ?? null);
      }
    }
    const more = this.optionals(draft);
    // Done in half of the cases: some branches need several optional parameters and a special value of another one.
    if (more.length > 0 && random.int(2) === 0) draft = random.pick(more);
    if (random.next() < 0.12) draft = this.withBorrowed(draft);
    else if (random.next() < 0.08) return this.withCopy(draft);
    const slots = slotsOf(draft);
    const steps = 1 + random.int(3);
    for (let step = 0; step < steps && slots.length > 0; step++) {
      const slot = random.pick(slots);
      draft = withValue(draft, slot, vary(valueAt(draft, slot) ?? null, this.shapeAt(draft, slot), this.grower));
    }
    return draft;
  }

  /** With one to three changes of the calls before it: another one, one less, one again, two swapped, one with another value. */
  private withOtherSteps(draft: Draft): Draft {
    const { random } = this;
    let made: Draft = { ...draft, init: draft.init ?? { args: [], kwargs: {} } };
    for (let left = 1 + random.int(3); left > 0; left--) {
      const before = [...(made.before ?? [])];
      const at = random.int(before.length + 1);
      const one = before[at];
      const draw = random.next();
      if (one === undefined || draw < 0.3) before.splice(at, 0, this.grownStep());
      else if (draw < 0.45) before.splice(at, 1);
      else if (draw < 0.65) before.splice(random.int(before.length + 1), 0, one);
      else if (draw < 0.75) [before[0], before[at]] = [one, before[0] ?? one];
      made = { ...made, before: before.slice(-MOST_STEPS) };
      const inside = slotsOf(made).filter(({ of }) => of === 'before');
      if (draw < 0.55 || inside.length === 0) continue;
      const slot = random.pick(inside);
      made = withValue(made, slot, vary(valueAt(made, slot) ?? null, this.shapeAt(made, slot), this.grower));
    }
    return made;
  }

  /** As one that is known, with other values half of the time. */
  private grownStep(): Step {
    const { random } = this;
    const step = random.pick(this.steps);
    if (random.int(2) === 0) return step;
    const grown = (at: number | string): Value =>
      this.grower.grow(this.shapes.get(`before ${step.method} ${at}`) ?? emptyShape());
    return {
      method: step.method,
      args: step.args.map((_, at) => grown(at)),
      kwargs: Object.fromEntries(Object.keys(step.kwargs).map((name) => [name, grown(name)])),
    };
  }

  /** With a number or a text in one place that occurs inside of another argument, so that what is looked for is there. */
  private withBorrowed(draft: Draft): Draft {
    const { random } = this;
    const slots = slotsOf(draft);
    if (slots.length < 2) return draft;
    const slot = random.pick(slots);
    const { kinds } = this.shapeAt(draft, slot);
    const others = slots.filter((other) => other !== slot).flatMap((other) => leavesOf(valueAt(draft, other) ?? null));
    // Where both kinds occur, a program may confuse 1 and "1".
    const spelled = others.flatMap((leaf): readonly Value[] => {
      if (typeof leaf === 'number') return [leaf, String(leaf)];
      return typeof leaf === 'string' && /^\d{1,9}$/.test(leaf) ? [leaf, Number(leaf)] : [leaf];
    });
    const alike = spelled.filter((leaf) => kinds.has(kindOf(leaf)));
    return alike.length === 0 ? draft : withValue(draft, slot, random.pick(alike));
  }

  /** With one argument in the place of another as well, most often with one change: two that are nearly equal; or exchanged. */
  private withCopy(draft: Draft, unchanged = false): Draft {
    const { random } = this;
    const [from, to] = random.shuffle(slotsOf(draft).filter(({ of }) => of === 'call'));
    if (from === undefined || to === undefined) return draft;
    const value = valueAt(draft, from) ?? null;
    const shape = this.shapeAt(draft, to);
    // A list of records is none of names. What takes several kinds may take any of them.
    if (shape.kinds.size > 1 ? !shape.kinds.has(kindOf(value)) : !holdsKnown(value, shape)) return draft;
    const draw = random.next();
    const other = valueAt(draft, to) ?? null;
    if (draw < 0.15 && holdsKnown(other, this.shapeAt(draft, from))) return withValue(withValue(draft, to, value), from, other);
    return withValue(
      draft,
      to,
      unchanged || draw < 0.3 ? value : draw < 0.42 ? reordered(value) : vary(value, shape, this.grower),
    );
  }

  /** With all texts from a few names, and the numbers from a few; as it is where there is nothing that could be equal. */
  private inOneVocabulary(draft: Draft): Draft {
    const { random, grower } = this;
    let made = draft;
    if (random.next() < 0.6) {
      for (const slot of slotsOf(draft)) made = withValue(made, slot, grower.grow(this.shapeAt(draft, slot)));
    }
    const slots = slotsOf(made);
    if (slots.flatMap((slot) => leavesOf(valueAt(made, slot) ?? null)).length < 2) return made;
    const vocabulary = vocabularyOf(this.words, random);
    const numbers = numbersFor(this.numbers, random, grower.constants);
    for (const slot of slots) {
      made = withValue(
        made,
        slot,
        respelled(valueAt(made, slot) ?? null, this.shapeAt(draft, slot), vocabulary, numbers, grower),
      );
    }
    return made;
  }

  /** With lists, objects or null in place of items or under one key; in half of the cases a text argument, given or optional, names the key. */
  private withNesting(draft: Draft): Draft {
    const { random, grower } = this;
    const slots = slotsOf(draft);
    const keys = keysIn(slots.map((slot) => valueAt(draft, slot) ?? null));
    let made = draft;
    if (keys.length === 0) {
      for (const slot of slots) made = withValue(made, slot, nestedItems(valueAt(made, slot) ?? null, grower));
      return made;
    }
    const { asked = [] } = grower.constants;
    const meant = keysIn(this.known.flatMap(({ args }) => args)).filter((one) => asked.includes(one));
    const some = meant.length === 0 ? keys : keys.filter((one) => meant.includes(one));
    if (some.length === 0) return draft;
    const key = random.pick(some);
    for (const slot of slots) made = withValue(made, slot, nested(valueAt(made, slot) ?? null, key, keys, grower));
    if (random.next() < 0.5) return made;
    const next = this.optional.filter(({ of, index }) => index === givenOf(made, { of, at: index }).args.length);
    const texts = [...slots, ...next.map(({ of, index }) => ({ of, at: index }))].filter((slot) =>
      this.shapeAt(draft, slot).kinds.has('str'),
    );
    return texts.length === 0 ? made : withValue(made, random.pick(texts), nameFor(key, made, grower));
  }
}
