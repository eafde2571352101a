import type { KubeletPorts, KubeletStream, StreamInput } from "@rollcall/kubelet"
import { type Link, openStream } from "@rollcall/machines"

/** What waits on a cut link before the sender waits too, in characters. */
const MAX_HELD = 256 * 1024

const lost = { error: "http2: client connection lost" }

/** Returns a stream of a kubelet as its API server sees it, over the network of the machine. */
export const streamOverLink = (link: Pick<Link, "state">, stream: KubeletStream): KubeletStream => ({
  ...(stream.channels === undefined ? {} : { channels: stream.channels }),
  open: (client) => {
    let held = 0
    let input: StreamInput | undefined
    const breakOff = () => {
      input?.close()
      client.end(lost)
    }
    const carried = openStream(link, breakOff)
    const carryText = (text: string, deliver: () => void) => {
      held += text.length
      carried.carry(() => {
        held -= text.length
        deliver()
      })
    }
    const opened = stream.open({
      write: (to, text) => carryText(text, () => client.write(to, text)),
      isFull: () => held > MAX_HELD || client.isFull(),
      end: (status) =>
        carried.carry(() => {
          carried.close()
          client.end(status)
        })
    })
    input = opened
    return {
      write: (text) => {
        if (held <= MAX_HELD) return carryText(text, () => opened.write(text))
        carried.close()
        breakOff()
      },
      end: () => carried.carry(() => opened.end()),
      close: () => {
        carried.close()
        opened.close()
      }
    }
  }
})

/** Returns the ports of a pod as an API server sees them, over the network of the machine. */
export const portsOverLink = (link: Pick<Link, "state">, ports: KubeletPorts): KubeletPorts => ({
  connect: (port) => streamOverLink(link, ports.connect(port))
})
