// The packaged model `en`, as it stands in this repository, and changed copies of it.

import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const EN = new URL("../../src/spanlin/models/en", import.meta.url);

/** A copy of `en` with a change made to it. */
export async function changed(change: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(await mkdtemp(join(tmpdir(), "spanlin-")), "en");
  await cp(fileURLToPath(EN), folder, { recursive: true });
  await change(folder);
  return folder;
}

/** Sets keys of a folder's manifest; what is undefined goes. */
export const manifestOf = (changes: object) => async (folder: string) => {
  const path = join(folder, "manifest.json");
  await writeFile(path, JSON.stringify({ ...(JSON.parse(await readFile(path, "utf8")) as object), ...changes }));
};

/** Takes the dependencies, if it has any, from a folder. */
export const treesAlone = manifestOf({ relations: undefined, universal_tags: undefined, arc_calibration: undefined });
