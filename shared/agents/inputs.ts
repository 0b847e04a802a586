/** What agents can ask of Peagen: the same four tools in the editor and over the Model Context Protocol. */
import * as z from 'zod';
import { RelativePath } from '../program.ts';

const Inputs = z
  .string()
  .max(1_000_000)
  .refine((text) => text.trim().startsWith('[') || RelativePath.safeParse(text).success, {
    error: 'expected calls as a JSON list, or the path of a JSON file inside the workspace folder',
  });

const Target = {
  file: RelativePath.describe('Path of the file, relative to the workspace folder, with forward slashes.'),
  function: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('The function to change, as name or Class.method. Without it: the whole file.'),
  inputs: Inputs.optional().describe(
    'Calls to judge by, as JSON: a list of calls, each a list of arguments, such as [[[3, 1, 2]], [[]]]; or the path of a JSON file with them, relative to the workspace folder. The original is the oracle. Further calls are derived from them, and half of those are held out. Without inputs and without a command, all calls are made for the function.',
  ),
  command: z
    .string()
    .min(1)
    .max(2000)
    .optional()
    .describe(
      'A test or benchmark command to judge by, instead of inputs, such as "pytest -q". It runs in a sandbox, on a copy.',
    ),
};

export const EvolveInput = z.object({
  ...Target,
  generations: z.number().int().min(1).max(1000).default(10).describe('How long to search.'),
  mutator: z
    .string()
    .max(100)
    .optional()
    .describe('How candidates are made. "structural" edits the syntax tree and asks no model.'),
  instructions: z.string().max(4000).optional().describe('Guidance for the model that makes candidates.'),
  max_tokens: z
    .number()
    .int()
    .min(0)
    .max(10_000_000)
    .default(0)
    .describe('Tokens of a language model that the run may spend; it ends before it would pass them. 0: it may ask no model.'),
  max_minutes: z.number().positive().max(240).default(30).describe('The run ends after this time.'),
  wait_seconds: z
    .number()
    .min(0)
    .max(600)
    .default(120)
    .describe('How long to wait for the end before answering; the run goes on after that.'),
});
export type EvolveInput = z.infer<typeof EvolveInput>;

export const JudgeInput = z.object({
  ...Target,
  text: z.string().min(1).max(2_000_000).describe('The changed file, whole. It is compared with the file as it is on disk.'),
});
export type JudgeInput = z.infer<typeof JudgeInput>;

export const ArchiveInput = z.object({
  run: z.string().optional().describe('Id of a run. Without it: the list of runs.'),
  sha256: z.string().optional().describe('A candidate of that run, to see its change.'),
  limit: z.number().int().min(1).max(100).default(10).describe('How many candidates or runs.'),
});
export type ArchiveInput = z.infer<typeof ArchiveInput>;

export const ProposeInput = z.object({
  run: z.string().describe('Id of a run.'),
  sha256: z.string().optional().describe('A candidate of that run. Without it: the best.'),
});
export type ProposeInput = z.infer<typeof ProposeInput>;

/** By the tool's name. */
export const toolTexts = {
  peagen_evolve: {
    title: 'Evolve a function',
    description:
      'Searches for faster variants of a function: candidates are run in a sandbox, checked against the original and measured side by side with it. Changes no file. Answers the best variant with its measured speed-up and what its correctness rests on, or the id of the run while it goes on.',
    input: EvolveInput,
  },
  peagen_judge: {
    title: 'Judge a change',
    description:
      'Checks a change of a file against the original in a sandbox and measures whether it is faster: the outcome, and the speed-up with its 95 % interval. Changes no file.',
    input: JudgeInput,
  },
  peagen_archive: {
    title: 'Read the archive',
    description:
      'Lists runs, the candidates that a run keeps (its elites: the best of each group of similar candidates) with what was measured of them, or the change of one. Reads only.',
    input: ArchiveInput,
  },
  peagen_propose: {
    title: 'Propose a candidate for review',
    description:
      'Opens a candidate as an inline proposal in the editor, where the user accepts or rejects it hunk by hunk. Changes no file by itself.',
    input: ProposeInput,
  },
} as const;

export type ToolName = keyof typeof toolTexts;
