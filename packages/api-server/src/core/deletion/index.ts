export { type Deletion, decideDeletion, isFinished } from "./Deletion.ts"
export { deleteOptionsRefusal, preconditionRefusal } from "./deletionRefusal.ts"
export { podGraceSeconds } from "./podGrace.ts"
