/** The configuration file and line that a message of the daemon names, so that a button can open it. */

interface FilePlace {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
}

/** As in `evolve.population (/code/.peagen.toml:3) = "many"` and `C:\code\.peagen.toml:3:7 is not valid TOML`. */
const PLACE = /((?:\/|[A-Za-z]:[\\/])[^\n:*?"<>|]*\.toml)(?::(\d+))?/;

export function placeIn(message: string): FilePlace | undefined {
  const [, file, line] = PLACE.exec(message) ?? [];
  return file === undefined ? undefined : { file, line: Math.max(1, Number(line ?? 1)) };
}
