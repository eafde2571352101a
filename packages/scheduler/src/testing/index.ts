export { type SchedulerSamples, schedulerPluginContract } from "./schedulerPluginContract.ts"
