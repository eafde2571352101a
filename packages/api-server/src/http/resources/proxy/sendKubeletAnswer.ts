import { badRequest } from "@rollcall/api"
import { isStream, type KubeletStream } from "@rollcall/streams"
import type { Call } from "../../call/Call.ts"
import { send, sendStatus } from "../../call/respond.ts"
import { passBack } from "../../relay/passBack.ts"
import { isRelayed, type KubeletAnswer } from "./KubeletTransport.ts"

/** What a client may leave unread before its kubelet waits. */
const MAX_UNREAD_BYTES = 256 * 1024

/** Sends what a kubelet answered, also what it goes on to write. */
export const sendKubeletAnswer = (call: Call, { body, code, contentType }: KubeletAnswer): void => {
  if (isRelayed(body)) passBack(call, body.message)
  else if (typeof body === "string" || body instanceof Uint8Array) {
    send(call, code, contentType, typeof body === "string" ? body : Buffer.from(body))
  } else if (code === 101 || !isStream(body)) sendStatus(call, badRequest("Upgrade request required"))
  else sendStream(call, code, contentType, body)
}

const sendStream = (call: Call, code: number, contentType: string, stream: KubeletStream): void => {
  const { response } = call
  if (response.headersSent || response.destroyed) return
  response.statusCode = code
  response.setHeader("Cache-Control", "no-cache, private")
  response.setHeader("Content-Type", contentType)
  call.done(code)
  if (call.request.method === "HEAD") {
    response.end()
    return
  }
  response.flushHeaders()
  const input = stream.open({
    write: (_, text) => {
      call.sentBytes += text.length
      response.write(text)
    },
    isFull: () => response.writableLength > MAX_UNREAD_BYTES,
    end: () => response.end()
  })
  response.on("close", () => input.close())
}
