import { setTimeout } from 'node:timers/promises';

/**
 * A mutator for the recorded run: it halves the work of `bad_sort` and adds checks that never hold. Its children are all new and
 * right, and each has more paths than its relatives, by a number that varies, so that a search with it never ends by itself and
 * every second or third is an elite.
 */
/** Leaves the processor to the windows: no journey needs more of the run than one child in this time. */
const PACE_MS = 1400;
const PLACE = '    # The numbers must be in order now, each against each.\n';
const ROUNDS = 'rounds = 2';
const checksIn = ({ program }) => program.files[0].text.split('len(result) == -').length - 1;

export default {
  make: (_, { name }) => ({
    name,
    requires: [],
    async mutate({ parent, inspirations, original, seed }) {
      await setTimeout(PACE_MS);
      const most = Math.max(0, ...[parent, ...inspirations].map(checksIn));
      const [file] = original.files;
      const lines = Array.from(
        { length: most + 2 * (1 + (seed % 4)) },
        (_, i) => `    if len(result) == -${seed + i + 1}:\n        return result\n`,
      );
      const text = file.text.replace(ROUNDS, 'rounds = 1').replace(PLACE, lines.join('') + PLACE);
      const longer = text.length - file.text.length;
      const program = {
        ...original,
        files: [{ ...file, text }],
        spans: original.spans.map((span) => ({ ...span, end: span.end + longer })),
      };
      const line = text.slice(0, text.indexOf(lines[0])).split('\n').length;
      const origin = { mutator: name, summary: `sort in one round, check more at line ${line}` };
      return { kind: 'child', program, origin, tokens: { prompt: 0, completion: 0 } };
    },
  }),
};
