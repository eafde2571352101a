/**
 * Ends the process at once at the second SIGTERM, while it stops after the first. Upstream: apiserver/pkg/server/signal.go.
 * Ctrl-C is left out: a wrapper such as npx sends the same one a second time.
 */
export const endAtSecondSignal = (): void => {
  process.once("SIGTERM", () => process.once("SIGTERM", () => process.exit(1)))
}
