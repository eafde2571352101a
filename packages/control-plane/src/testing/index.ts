export { observersContract } from "./observersContract.ts"
