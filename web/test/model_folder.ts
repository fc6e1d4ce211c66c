/** The packaged model `en`, as it stands in this repository. */
export const EN = new URL("../../src/spanlin/models/en", import.meta.url);
