/** The version of this package, which is that of the Python package whose models it runs. */
export const VERSION = "0.1.0";
