/** Takes the values of secrets out of text that leaves the process: logs, crash reports, messages. */

/** By their names in the environment, where all of ours come from. */
const SECRET = /(KEY|TOKEN|SECRET|PASSWORD)$/;
/** Shorter ones are ordinary words. */
const SHORTEST = 8;

export function withoutSecrets(text: string, env: NodeJS.ProcessEnv = process.env): string {
  let clean = text;
  for (const [name, value = ''] of Object.entries(env)) {
    if (!SECRET.test(name) || value.length < SHORTEST) continue;
    clean = clean.replaceAll(value, `[${name}]`);
    const escaped = JSON.stringify(value).slice(1, -1);
    if (escaped !== value) clean = clean.replaceAll(escaped, `[${name}]`);
  }
  return clean;
}
