// The contract of the source of metrics.

export { metricsSourceContract } from "./metricsSourceContract.ts"
