// The same as Effects. They need no services: files are read from the file system of Node.

export { InvalidInput } from "@rollcall/input"
export { TestCluster } from "@rollcall/testing"
export { planDrain } from "./plan/drain.ts"
export { planEvictions } from "./plan/evictions.ts"
export { planShutdown } from "./plan/shutdown.ts"
export { planSwap } from "./plan/swap.ts"
export { simulateScenario as simulate } from "./simulateScenario.ts"
