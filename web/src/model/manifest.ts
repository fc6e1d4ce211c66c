// What a model folder's manifest.json says, as far as this package needs it, checked.

import { SpanlinError } from "../errors.js";

export interface Calibration {
  span: number;
  root: number;
  tags: number;
  sentence: number;
  offset: number;
}

export interface Manifest {
  precision: string;
  labels: string[];
  tags: string[];
  relations: string[];
  universalTags: string[];
  /** The longest row of word pieces, and what shapes of words add to the ids of their pieces. */
  pieceLimit: number;
  shapeStep: number;
  calibration: Calibration;
  isCalibrated: boolean;
  temperatures: { splits: number; labels: number };
  /** The SHA-256 sum of each file. */
  files: Map<string, string>;
}

const FORMAT = 2;
const UNCALIBRATED: Calibration = { span: 1, root: 0, tags: 0, sentence: 0, offset: 0 };

/** The facts of a manifest, or a SpanlinError that says what is wrong with it. */
export function readManifest(text: string, source: string): Manifest {
  let found: Record<string, unknown>;
  try {
    found = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new SpanlinError(`${source}: not a manifest: it is not JSON; is the address that of a model folder?`);
  }
  const damaged = (what: string) => new SpanlinError(`${source}: damaged: ${what}; export the model again`);
  if (typeof found !== "object" || found === null || found.format !== FORMAT) {
    throw new SpanlinError(`${source}: this version reads manifests of format ${FORMAT}: export the model again`);
  }
  if ((found.input ?? "pieces") !== "pieces" || found.tagger) {
    throw new SpanlinError(
      `${source}: this model has a lexicon of its own, or a tagger in front, which only the Python package runs`,
    );
  }
  const names = (key: string): string[] => {
    const value = found[key];
    if (!Array.isArray(value) || !value.length || !value.every((name) => typeof name === "string")) {
      throw damaged(`${key} must be a list of names`);
    }
    return value as string[];
  };
  const numbers = <Key extends string>(key: string, keys: readonly Key[]): Record<Key, number> => {
    const table = found[key] as Record<string, unknown> | undefined;
    return Object.fromEntries(
      keys.map((name) => {
        const value = table?.[name];
        if (typeof value !== "number" || !Number.isFinite(value)) throw damaged(`${key}.${name} must be a number`);
        return [name, value];
      }),
    ) as Record<Key, number>;
  };
  const whole = (key: string): number => {
    const value = found[key];
    if (typeof value !== "number" || !Number.isInteger(value) || value < 0) throw damaged(`${key} must be a whole number`);
    return value;
  };
  const hasDependencies = "relations" in found || "universal_tags" in found;
  const calibration = numbers("calibration", ["span", "root", "tags", "sentence", "offset"]);
  const temperatures = found.temperatures ? numbers("temperatures", ["splits", "labels"]) : { splits: 1, labels: 1 };
  const isBelieved = Object.entries(UNCALIBRATED).every(([key, value]) => calibration[key as keyof Calibration] === value);
  return {
    precision: String(found.precision),
    labels: names("labels"),
    tags: names("tags"),
    relations: hasDependencies ? names("relations") : [],
    universalTags: hasDependencies ? names("universal_tags") : [],
    pieceLimit: whole("piece_limit"),
    shapeStep: whole("shape_step"),
    calibration,
    isCalibrated: !isBelieved || temperatures.splits !== 1 || temperatures.labels !== 1,
    temperatures,
    files: new Map(Object.entries((found.files ?? {}) as Record<string, string>)),
  };
}
