// API Priority and Fairness, by the objects of a server.

export { type PriorityAndFairnessOptions, priorityAndFairness } from "./PriorityAndFairness.ts"
