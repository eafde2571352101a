import { formatMicroTime } from "@rollcall/api"
import { HttpClient, type Target } from "./HttpClient.ts"
import { LEASES, leaseText, nodeName } from "./objects.ts"
import type { Step } from "./runLoad.ts"

const VERSION = '"resourceVersion":"'

/** Returns the resourceVersion of the object in a response; "" if there is none. */
const versionIn = (body: Buffer): string => {
  const text = body.toString("latin1", 0, 600)
  const at = text.indexOf(VERSION)
  return at < 0 ? "" : text.slice(at + VERSION.length, text.indexOf('"', at + VERSION.length))
}

/** Milliseconds since 1970, to the microsecond. */
export const nowMs = (): number => performance.timeOrigin + performance.now()

interface LeaseList {
  readonly metadata?: { readonly resourceVersion: string }
  readonly items?: ReadonlyArray<{ readonly metadata: { readonly name: string; readonly resourceVersion: string } }>
}

/**
 * Renewals of Leases. Each renewal is based on the Lease in the last response, like a kubelet's.
 */
export class Renewals {
  private readonly versions: Array<string>

  constructor(leases: number) {
    this.versions = new Array<string>(leases).fill("")
  }

  /** Lists the Leases; returns the revision of the list. A server without lists has no revisions either. */
  async learn(target: Target): Promise<string> {
    const client = await HttpClient.open(target)
    const text = await new Promise<string>((resolve) =>
      client.send({ method: "GET", path: LEASES, body: "" }, (_, body) => resolve(body.toString()))
    )
    client.close()
    const list: LeaseList = JSON.parse(text)
    const known = new Map(list.items?.map(({ metadata }) => [metadata.name, metadata.resourceVersion]))
    for (let lease = 0; lease < this.versions.length; lease++) this.versions[lease] = known.get(nodeName(lease)) ?? ""
    return list.metadata?.resourceVersion ?? ""
  }

  step(lease: number): Step {
    const name = nodeName(lease)
    const body = leaseText(name, this.versions[lease] ?? "", formatMicroTime(nowMs()))
    const answered = (code: number, answer: Buffer) => {
      if (code === 200) this.versions[lease] = versionIn(answer)
    }
    return { request: { method: "PUT", path: `${LEASES}/${name}`, body }, answered }
  }

  /** Each connection renews its own share of the Leases in order, for `seconds`. */
  inTurn(connections: number, seconds: number): (connection: number, elapsedMs: number) => Step | undefined {
    const next = Array.from({ length: connections }, (_, connection) => connection)
    const leases = this.versions.length
    return (connection, elapsedMs) => {
      if (elapsedMs >= seconds * 1000) return undefined
      const lease = next[connection] ?? connection
      next[connection] = lease + connections < leases ? lease + connections : connection
      return this.step(lease)
    }
  }
}
