export * from "./Cluster.ts"
export * from "./ClusterError.ts"
export { type ComponentLog, componentLog, type LogLine, type LogSeverity, noLog } from "./ComponentLog.ts"
export * from "./Connection.ts"
export { cancellable } from "./cancellable.ts"
export { checkedAnswer } from "./checkedAnswer.ts"
export { Controller } from "./controller/Controller.ts"
export type * from "./controller/ControllerEntry.ts"
export type { PlainEntry, PlainParts, PlainWork } from "./controller/PlainController.ts"
export * from "./EventRecorder.ts"
export { forkController } from "./forkController.ts"
export {
  CurrentInformerFollower,
  Informer,
  type InformerFollower,
  type InformerOptions,
  makeInformer,
  type PlainInformer
} from "./Informer.ts"
export type { InformerHandler } from "./InformerHandler.ts"
export * from "./Informers.ts"
export { Retries } from "./internal/Retries.ts"
export {
  LeaderElection,
  type LeaderElectionOptions,
  type LeaderElectionTimes,
  LeaseLost,
  leaderElectionProblem,
  leaderElectionTimes
} from "./leader/LeaderElection.ts"
export { LeaderWatchDog } from "./leader/WatchDog.ts"
export { neverThrowing } from "./neverThrowing.ts"
export { type Indexer, keyOf, splitKey } from "./ObjectCache.ts"
export * from "./RateLimit.ts"
export { type Feed, Reflector, type ReflectorTarget, type Selection } from "./Reflector.ts"
export * from "./Retrying.ts"
export { type ConflictBackoff, defaultBackoff, defaultRetry, retryOnConflict } from "./retryOnConflict.ts"
export * from "./revision.ts"
export { goTypeOf, type WatchStage, watchFailureLine, watchFailureLog } from "./WatchFailure.ts"
export { type Work, Workers } from "./Workers.ts"
export * from "./WorkQueue.ts"
