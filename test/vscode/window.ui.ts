import { Journey } from './driver/journey.ts';
import { agents } from './window/agents.ts';
import { cluster } from './window/cluster.ts';
import { rendering } from './window/render.ts';
import { review } from './window/review.ts';

/** Parts that leave each other alone share a window: to open one costs more than most of them. */
describe('in one window of VS Code', () => {
  const journey = new Journey('window', { recorded: true });

  before(() =>
    journey.open({
      extension: process.env['PEAGEN_STAGE'] ?? '',
      hands: true,
      settings: { 'editor.wordBasedSuggestions': 'off' },
      // The run that an agent starts is over after one candidate.
      env: { PEAGEN__EVOLVE__POPULATION: '1' },
    }),
  );
  after(() => journey.close());
  afterEach(function () {
    return journey.keepFailure(this.currentTest);
  });

  describe('rendering', () => rendering(journey));
  describe('agents', () => agents(journey));
  describe('a review', () => review(journey));
  // The last: it ends the recorded run.
  describe('a cluster', () => cluster(journey));
});
