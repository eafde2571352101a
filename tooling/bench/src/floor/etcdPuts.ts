import { type ClientHttp2Session, connect } from "node:http2"
import { cpuSeconds } from "../load/processFigures.ts"
import { type LoadResult, resultOf } from "../load/runLoad.ts"

const HEADERS = {
  ":method": "POST",
  ":path": "/etcdserverpb.KV/Put",
  "content-type": "application/grpc",
  te: "trailers"
}

const FRAME_BYTES = 5
/** The first two fields of a PutRequest, both bytes. */
const KEY_TAG = 0x0a
const VALUE_TAG = 0x12

const varint = (value: number): ReadonlyArray<number> =>
  value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >>> 7)]

const field = (tag: number, text: string): Buffer => {
  const bytes = Buffer.from(text)
  return Buffer.concat([Buffer.from([tag, ...varint(bytes.length)]), bytes])
}

const putFrame = (key: string, value: string): Buffer => {
  const message = Buffer.concat([field(KEY_TAG, key), field(VALUE_TAG, value)])
  const frame = Buffer.alloc(FRAME_BYTES)
  frame.writeUInt32BE(message.length, 1)
  return Buffer.concat([frame, message])
}

/** Puts a value; resolves with whether etcd has stored it. */
const put = (session: ClientHttp2Session, frame: Buffer): Promise<boolean> =>
  new Promise((resolve) => {
    const stream = session.request(HEADERS)
    let isStored = false
    stream.on("trailers", (trailers) => {
      isStored = trailers["grpc-status"] === "0"
    })
    stream.on("error", () => undefined)
    stream.on("close", () => resolve(isStored))
    stream.resume()
    stream.end(frame)
  })

/** What is put: the key and the value of the nth one. */
export type PutOf = (number: number) => readonly [key: string, value: string]

/**
 * Puts into etcd with nothing around it: one HTTP/2 connection, `inFlight` calls at a time, frames made by hand. `processId` is etcd's,
 * whose processor time is counted.
 */
export const barePuts = async (
  { processId, url }: { readonly processId: number; readonly url: string },
  inFlight: number,
  seconds: number,
  putOf: PutOf
): Promise<LoadResult> => {
  const session = connect(url)
  const latencies: Array<number> = []
  const cpuBefore = cpuSeconds(processId)
  const start = performance.now()
  let [number, refused] = [0, 0]
  const keepPutting = async () => {
    for (let from = start; from - start < seconds * 1000; ) {
      const isStored = await put(session, putFrame(...putOf(number++)))
      const now = performance.now()
      if (isStored) latencies.push(now - from)
      else refused++
      from = now
    }
  }
  await Promise.all(Array.from({ length: inFlight }, keepPutting))
  const elapsed = (performance.now() - start) / 1000
  const cpu = cpuSeconds(processId) - cpuBefore
  session.close()
  return resultOf(latencies, refused, elapsed, cpu)
}
