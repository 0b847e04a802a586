/** How a target can be judged: what is found in its folder, and inputs that a language model proposes. */
import * as z from 'zod';
import { TokenUse } from '../asking.ts';
import { Confidence } from '../confidence.ts';
import { Call, EvaluatorSpec } from '../judging.ts';
import { RelativePath } from '../program.ts';
import { TargetSpec } from '../run-spec.ts';
import { request } from './message.ts';
import { RunRequest } from './runs.ts';

/**
 * `configured`: `.peagen.toml` says so. `made`: Peagen makes the inputs. `folder`: an evaluator that the folder has. `inputs`,
 * `command`: found next to the target.
 */
const waysToJudge = ['configured', 'made', 'folder', 'inputs', 'command'] as const;

export const WayToJudge = z.object({
  kind: z.enum(waysToJudge),
  /** For a user: `Inputs from inputs.json`, `python3 -m pytest -q -x`. */
  label: z.string(),
  /** What it was recognised by, or what it means. */
  detail: z.string(),
  evaluator: EvaluatorSpec,
  /** A `folder` brings its own target and settings; they go into the RunRequest next to the evaluator. */
  target: TargetSpec.optional(),
  settings: RunRequest.omit({ target: true, evaluator: true }).default({}),
  /** What a user should know before choosing it, such as settings of a folder that have no effect here. */
  warnings: z.array(z.string()).default([]),
});
export type WayToJudge = z.infer<typeof WayToJudge>;

export const DetectJudgingRequest = z.object({
  /** Absolute folder. */
  root: z.string().min(1),
  /** The target's file in it; without it only what judges a whole folder is looked for. */
  path: RelativePath.optional(),
  entry_fn: z.string().optional(),
});
export type DetectJudgingRequest = z.infer<typeof DetectJudgingRequest>;

export const FoundWays = z.object({
  /** The most specific first. */
  ways: z.array(WayToJudge),
  /** What looks like a way and is not one, such as an evaluator without a program to start from. */
  warnings: z.array(z.string()),
});
export type FoundWays = z.infer<typeof FoundWays>;

/**
 * Client → daemon: ways to judge candidates of a target. Reads a few files; runs the original only on the first calls of an
 * inputs file that was found, in a sandbox, and for a bounded time.
 */
export const DetectJudging = request('peagen/judging/detect', DetectJudgingRequest, FoundWays);

/** A call that a model proposed, and what the original did on it. */
export const ProposedCall = z.object({
  call: Call,
  /** What it tests, in the model's words: one line. */
  why: z.string(),
  /** What came back, as a user would write it, cut to size; or the exception's type. */
  returned: z.string().optional(),
  raised: z.string().optional(),
  ms: z.number(),
});
export type ProposedCall = z.infer<typeof ProposedCall>;

export const ProposeInputsRequest = z.object({
  /** Names the function: `entry_fn`. */
  target: TargetSpec,
  /** How many calls to ask for. */
  count: z.number().int().min(1).max(32).default(8),
  backend: z.string().optional(),
  /** Guidance in the user's words, such as the size of typical inputs. */
  instructions: z.string().max(4000).optional(),
});
export type ProposeInputsRequest = z.infer<typeof ProposeInputsRequest>;

export const ProposedInputs = z.object({
  proposals: z.array(ProposedCall),
  /** Proposals that are no use: not JSON, or the original did not end on them. */
  dropped: z.array(z.object({ text: z.string(), reason: z.string() })),
  tokens: TokenUse,
});
export type ProposedInputs = z.infer<typeof ProposedInputs>;

/**
 * Client → daemon: asks a language model for inputs of a function and runs the original on them, in a sandbox. They
 * judge nothing until the user has confirmed them: then the calls go into a `function` evaluator's options.
 * `budget_exceeded` when the worst case is above [evolve.stop] budget_tokens; `unavailable` without a model.
 */
export const ProposeInputs = request('peagen/judging/propose', ProposeInputsRequest, ProposedInputs);

/**
 * Client → daemon: what ProposeInputs is likely to cost and can cost at worst, to be shown before it is sent. Money is null when
 * a price is unknown.
 */
export const PlanProposal = request(
  'peagen/judging/propose/plan',
  ProposeInputsRequest,
  z.object({
    prompt_tokens: z.number().int(),
    completion_tokens: z.number().int(),
    dollars: z.number().nullable(),
    expected: z.object({ tokens: z.number().int(), dollars: z.number().nullable() }),
  }),
);

/**
 * Client → daemon: a call that a function may take, read off its source, for a user to begin with; nothing runs. Throws
 * `not_found` when the target names no function of the file.
 */
export const ExampleCall = request('peagen/judging/example', z.object({ target: TargetSpec }), z.object({ call: Call }));

export const DeriveInputsRequest = z.object({
  /** Names the function: `entry_fn`. */
  target: TargetSpec,
  /** Given calls as the user wrote them: JSON, a file, or `file.py:function`. Absent: none. */
  inputs: z.string().optional(),
});
export type DeriveInputsRequest = z.infer<typeof DeriveInputsRequest>;

/** A call with what the original did on it. */
export const DerivedInput = z.object({
  call: Call,
  /** `given`: by the user. `timed`: made by Peagen and timed. `visible`: made and compared. `heldout`: kept from the search. */
  use: z.enum(['given', 'timed', 'visible', 'heldout']),
  returned: z.string().optional(),
  raised: z.string().optional(),
});
export type DerivedInput = z.infer<typeof DerivedInput>;

export const DerivedInputs = z.object({
  inputs: z.array(DerivedInput),
  confidence: Confidence,
});
export type DerivedInputs = z.infer<typeof DerivedInputs>;

/**
 * Client → daemon: makes calls for a function without a model and runs the original on them, in a sandbox. Shown before a
 * run starts; a run that is given no inputs uses the same calls. Throws `original_fails` when no call enters the function.
 */
export const DeriveInputs = request('peagen/judging/derive', DeriveInputsRequest, DerivedInputs);
