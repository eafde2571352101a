// The API as a service, and as plain code.

export { Cluster, type ClusterShape, fromConnection, type ObjectKey, type WriteOptions } from "./Cluster.ts"
export {
  ApiError,
  apiErrorOf,
  type ClusterError,
  ConnectionError,
  connectionErrorFrom,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound
} from "./ClusterError.ts"
export type {
  Answer,
  AnyKind,
  ApiRequest,
  BookmarkSink,
  Connection,
  CreateRequest,
  CustomKind,
  CutStay,
  DeleteCollectionRequest,
  DeleteRequest,
  GetRequest,
  HeartbeatLane,
  HeartbeatSink,
  LateBookmark,
  LateRenewal,
  LateRenewals,
  ListPart,
  ListRequest,
  PatchRequest,
  PatchType,
  Subresource,
  UpdateRequest,
  WatchEvent,
  WatchRenewal,
  WatchRequest,
  WatchSink
} from "./Connection.ts"
export { cancellable } from "./cancellable.ts"
export { checkedAnswer } from "./checkedAnswer.ts"
export { neverThrowing } from "./neverThrowing.ts"
export { isOlder } from "./revision.ts"
export { nextWatchOrder } from "./watchOrder.ts"

// Connections that retry, and that keep to a rate.

export { type Backoff, Retries } from "./internal/Retries.ts"
export { type RateLimitedConnection, type RateLimitOptions, rateLimited } from "./RateLimit.ts"
export { type RetryingConnection, type RetryOptions, retrying } from "./Retrying.ts"
export { type ConflictBackoff, defaultBackoff, defaultRetry, retryOnConflict } from "./retryOnConflict.ts"

// Informers: a local copy of the objects of a kind.

export {
  CurrentInformerFollower,
  Informer,
  type InformerFollower,
  type InformerOptions,
  makeInformer,
  type PlainInformer
} from "./Informer.ts"
export { type InformerHandler, ignoresHeartbeats } from "./InformerHandler.ts"
export { type InformerRequest, Informers, type InformersShape, layerSharedInformers } from "./Informers.ts"
export { ListPositions } from "./ListPositions.ts"
export { isListedBefore } from "./listOrder.ts"
export { type Indexer, keyOf, ObjectCache, splitKey } from "./ObjectCache.ts"
export { type Feed, Reflector, type ReflectorTarget, type Selection } from "./Reflector.ts"
export {
  CurrentSharedWrites,
  type FollowWrites,
  layerSharedWrites,
  observedByShared,
  SharedWrites,
  type WriteFollower
} from "./SharedWrites.ts"
export { goTypeOf, type WatchStage, watchFailureLine, watchFailureLog } from "./WatchFailure.ts"

// Heartbeats as columns of numbers: renewals of Leases, and unchanged statuses of Nodes.

export {
  HeartbeatColumns,
  type HeartbeatFollower,
  type HeartbeatOwner,
  type HeartbeatServer,
  type HeartbeatStay,
  type LastHeartbeat
} from "./heartbeats/HeartbeatColumns.ts"
export { withHeartbeatTimes } from "./heartbeats/heartbeatTimes.ts"
export { RenewalColumns, type RenewalTimes } from "./heartbeats/RenewalColumns.ts"
export { ReportColumns, type ReportOwner } from "./heartbeats/ReportColumns.ts"

// Controllers: queues of keys, and workers.

export { Controller } from "./controller/Controller.ts"
export type { PlainParts } from "./controller/PlainController.ts"
export { forkController } from "./forkController.ts"
export type { Work } from "./Workers.ts"
export { CurrentQueueMeter, type QueueMeter, runWorkers, WorkQueue, type WorkQueueHooks } from "./WorkQueue.ts"

// Leader election.

export {
  LeaderElection,
  type LeaderElectionOptions,
  type LeaderElectionTimes,
  LeaseLost,
  leaderElectionProblem,
  leaderElectionTimes
} from "./leader/LeaderElection.ts"
export { LeaderWatchDog } from "./leader/WatchDog.ts"

// Events and logs.

export { type ComponentLog, componentLog, type LogLine, type LogSeverity, noLog } from "./ComponentLog.ts"
export {
  type EventDrop,
  EventRecorder,
  type EventSource,
  makeEventRecorder,
  type ProcessRecorder,
  referenceTo
} from "./EventRecorder.ts"
export { EventSeriesRecorder } from "./EventSeriesRecorder.ts"
