import { create } from "@bufbuild/protobuf"
import { type Operation, type Revision, StoreConflict, StoreFailure } from "@rollcall/store"
import {
  CompareSchema,
  type RequestOp,
  RequestOpSchema,
  type TxnRequest,
  TxnRequestSchema,
  type TxnResponse
} from "../generated/etcd_pb.ts"
import { etcdKeyOf, type KeySpace } from "./keys.ts"
import { storedText } from "./storedText.ts"

/** Compare.EQUAL and Compare.MOD of etcd. */
const EQUAL = 0
const MOD_REVISION = 2
/** The most operations that etcd takes in a transaction by default (`--max-txn-ops`), and in one that has others in it. */
const MAX_OPERATIONS = 128
const MAX_NESTED_OPERATIONS = 64
/** The largest request that etcd takes by default (`--max-request-bytes`). */
const MAX_REQUEST_BYTES = 1_572_864

/** An operation as etcd gets it. */
export interface Prepared {
  readonly operation: Operation
  readonly key: Uint8Array
  /** The JSON of the value of a put; null for a delete. */
  readonly text: string | null
  readonly bytes: Uint8Array
}

const encoder = new TextEncoder()
const NO_BYTES = new Uint8Array(0)

const jsonOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

const prepareOne = (space: KeySpace, operation: Operation): Prepared | string => {
  const key = etcdKeyOf(space, operation.key)
  if (key === undefined) return `the key ${operation.key} is not below ${space.root}`
  if (operation.type === "delete") return { operation, key, text: null, bytes: NO_BYTES }
  const text = jsonOf(operation.value)
  if (text === undefined) return `the value of ${operation.key} is not JSON`
  return { operation, key, text, bytes: encoder.encode(storedText(operation.value, text)) }
}

/** Prepares the operations of a batch, or returns why etcd cannot take them. */
export const prepareBatch = (
  space: KeySpace,
  batch: ReadonlyArray<Operation>
): ReadonlyArray<Prepared> | StoreFailure => {
  const prepared: Array<Prepared> = []
  const keys = new Set<string>()
  let size = 0
  for (const operation of batch) {
    const next = prepareOne(space, operation)
    const isTwice = keys.has(operation.key)
    if (isTwice || typeof next === "string") {
      return new StoreFailure({
        message: typeof next === "string" ? next : `a batch may contain a key only once: ${operation.key}`
      })
    }
    keys.add(operation.key)
    prepared.push(next)
    size += next.key.length + next.bytes.length
  }
  if (size > MAX_REQUEST_BYTES) {
    const message = `etcd takes at most ${MAX_REQUEST_BYTES} bytes in one request, and this write has ${size}: ${batch[0]?.key}`
    return new StoreFailure({ message })
  }
  return prepared
}

/** Returns the etcd lease of an operation; 0 for none. */
export type LeaseOf = (operation: Operation) => bigint

const opOf = ({ bytes, key, operation }: Prepared, leaseOf: LeaseOf): RequestOp =>
  create(RequestOpSchema, {
    request:
      operation.type === "put"
        ? { case: "requestPut", value: { key, value: bytes, lease: leaseOf(operation) } }
        : { case: "requestDeleteRange", value: { key } }
  })

/** Divides many operations over transactions in the transaction, since etcd limits those of each. */
const nested = (ops: ReadonlyArray<RequestOp>): Array<RequestOp> => {
  if (ops.length <= MAX_OPERATIONS) return [...ops]
  const groups: Array<RequestOp> = []
  for (let at = 0; at < ops.length; at += MAX_NESTED_OPERATIONS) {
    const success = ops.slice(at, at + MAX_NESTED_OPERATIONS)
    groups.push(create(RequestOpSchema, { request: { case: "requestTxn", value: { success } } }))
  }
  return groups
}

const guardsOf = (batch: ReadonlyArray<Prepared>) => batch.filter(({ operation }) => operation.expect !== undefined)

/** Whether a second attempt cannot write twice, because each operation expects a revision that the first one replaces. */
export const isGuarded = (batch: ReadonlyArray<Prepared>): boolean =>
  batch.every(({ operation }) => operation.expect !== undefined)

/**
 * Returns the transaction of a batch: everything is written if each key has the revision that is expected; otherwise the
 * answer has the guarded keys.
 */
export const transactionOf = (batch: ReadonlyArray<Prepared>, leaseOf: LeaseOf): TxnRequest => {
  const guards = guardsOf(batch)
  return create(TxnRequestSchema, {
    compare: guards.map(({ key, operation: { expect = 0 } }) =>
      create(CompareSchema, {
        key,
        result: EQUAL,
        target: MOD_REVISION,
        targetUnion: { case: "modRevision", value: BigInt(expect) }
      })
    ),
    success: nested(batch.map((prepared) => opOf(prepared, leaseOf))),
    failure: guards.map(({ key }) =>
      create(RequestOpSchema, { request: { case: "requestRange", value: { key, keysOnly: true } } })
    )
  })
}

/** The revision of a transaction's answer, and its conflict if a guard did not hold. */
export interface Outcome {
  readonly revision: Revision
  readonly conflict: StoreConflict | undefined
}

/** Reads the answer to the transaction of a batch. */
export const outcomeOf = (batch: ReadonlyArray<Prepared>, { header, responses, succeeded }: TxnResponse): Outcome => {
  const revision = Number(header?.revision ?? 0n)
  if (succeeded) return { revision, conflict: undefined }
  for (const [at, { operation }] of guardsOf(batch).entries()) {
    const { response } = responses[at] ?? {}
    const kv = response?.case === "responseRange" ? response.value.kvs[0] : undefined
    const actual = Number(kv?.modRevision ?? 0n)
    if (actual !== operation.expect) {
      return { revision, conflict: new StoreConflict({ key: operation.key, actual }) }
    }
  }
  return { revision, conflict: undefined }
}
