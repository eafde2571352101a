import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { badRequest, unknownError } from "@rollcall/api"
import type { KubeletStream, UpgradeConnection } from "@rollcall/streams"
import type { Call } from "../../call/Call.ts"
import { sendStatus } from "../../call/respond.ts"
import { passBack } from "../../relay/passBack.ts"
import { passUpgrade } from "../../relay/passUpgrade.ts"
import { hostPort, isRelayed, type KubeletAddress, type KubeletAnswer } from "./KubeletTransport.ts"
import { proxiedLocation } from "./proxiedLocation.ts"

/*
 * Answers of other processes, which are passed on as they come. Upstream: apimachinery/pkg/util/proxy.
 */

/** The other server does not decide who may read the answers of this one. Upstream: removeCORSHeaders. */
const corsHeaders: ReadonlySet<string> = new Set([
  "access-control-allow-credentials",
  "access-control-allow-headers",
  "access-control-allow-methods",
  "access-control-allow-origin"
])

/** The segments of `/api/v1/nodes/{name}/proxy` and, with a namespace, of the paths of others, after the first slash. */
const SEGMENTS = 5
const NAMESPACED_SEGMENTS = 7

const prefixOf = ({ namespace, path }: Call["info"]): string =>
  path
    .split("/")
    .slice(0, (namespace === "" ? SEGMENTS : NAMESPACED_SEGMENTS) + 1)
    .join("/")

/** Returns where a client is redirected to that has asked a proxied server. */
export const locationFor = (call: Call, address: KubeletAddress, location: string): string =>
  proxiedLocation(location, {
    prefix: prefixOf(call.info),
    backend: hostPort(address),
    requested: call.header("host") ?? ""
  })

/** Passes the answer of a proxied server back. */
export const passRelayed = (call: Call, address: KubeletAddress, message: IncomingMessage): void => {
  const { location } = message.headers
  passBack(call, message, {
    isDropped: (name) => corsHeaders.has(name),
    location: location === undefined ? undefined : locationFor(call, address, location)
  })
}

const BROKEN = "net/http: HTTP/1.x transport connection broken: "

/**
 * Returns what a client is told whose upgrade has failed: upstream reads the answer to it by itself, after the dial.
 * Upstream: apimachinery/pkg/util/proxy/upgradeaware.go, tryUpgrade.
 */
export const upgradeFailure = (failure: string): string => {
  if (failure === "EOF") return "unexpected EOF"
  if (failure.startsWith(BROKEN)) return failure.slice(BROKEN.length)
  return /^(?:read|write): /.test(failure) ? failure : `error dialing backend: ${failure}`
}

/** Connects a client to what has agreed to its protocol, or passes the refusal back. Upstream: UpgradeAwareHandler. */
export const sendRelayedUpgrade = (
  call: Call,
  upgrade: UpgradeConnection | undefined,
  { body, code }: KubeletAnswer
): void => {
  if (!isRelayed(body)) {
    sendStatus(call, badRequest("Upgrade request required"))
    return
  }
  const { message, upgraded } = body
  if (upgraded !== undefined && upgrade !== undefined) {
    passUpgrade(call, upgrade, message, upgraded.socket, upgraded.head)
    return
  }
  if (code >= 400) {
    passBack(call, message, { isAsItIs: true })
    return
  }
  message.destroy()
  upgraded?.socket.destroy()
  sendStatus(call, unknownError(`invalid upgrade response: status code ${code}`))
}

/** Reads the start of an answer, of at most so many bytes, and calls `done` once. */
export const readStart = (message: IncomingMessage, most: number, done: (text: string) => void): void => {
  const chunks: Array<Buffer> = []
  let size = 0
  let isDone = false
  const finish = () => {
    if (isDone) return
    isDone = true
    done(Buffer.concat(chunks).subarray(0, most).toString())
  }
  message.on("data", (chunk: Buffer) => {
    if (isDone) return
    size += chunk.length
    chunks.push(chunk)
    if (size < most) return
    finish()
    message.destroy()
  })
  message.on("end", finish)
  message.on("error", finish)
}

/** Returns the text of an answer as a stream, for a client that gets it in frames over `socket`. */
export const streamOf = (message: IncomingMessage, socket: Duplex): KubeletStream => ({
  open: (client) => {
    const decoder = new StringDecoder("utf8")
    let isOver = false
    const end = (rest: string) => {
      if (isOver) return
      isOver = true
      if (rest !== "") client.write(1, rest)
      client.end()
    }
    message.on("data", (chunk: Buffer) => {
      if (isOver) return
      client.write(1, decoder.write(chunk))
      if (client.isFull()) message.pause()
    })
    socket.on("drain", () => message.resume())
    message.on("end", () => end(decoder.end()))
    message.on("error", () => end(""))
    return {
      write: () => {},
      end: () => {},
      close: () => {
        isOver = true
        message.destroy()
      }
    }
  }
})
