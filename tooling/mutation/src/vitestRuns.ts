/** How vitest runs the tests of a mutant: as the workspace does, with what they need loaded once for all files. */
export default { test: { isolate: false } }
