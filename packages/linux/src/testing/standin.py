"""A logind, and the systemd that it belongs to, on a private bus: python3-dbusmock's template and what it lacks.

Arguments: the delay in microseconds, and the folder below which the override file is looked for. Reloaded with SIGHUP
(KillUnit), it takes the delay of the override a moment later, as the real one does.
"""

import ctypes
import os
import re
import sys

import dbus
import dbus.mainloop.glib
import dbusmock.mockobject
from gi.repository import GLib

LOGIN = "org.freedesktop.login1"
LOGIN_PATH = "/org/freedesktop/login1"
MANAGER = "org.freedesktop.login1.Manager"

delay = int(sys.argv[1])
override = os.path.join(sys.argv[2], "etc/systemd/logind.conf.d/99-kubelet.conf")

# As the command line of dbusmock does: the mock must be gone when its bus is.
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SystemBus()
running = {True}
bus.add_signal_receiver(
    lambda *_: running.clear(),
    signal_name="Disconnected",
    path="/org/freedesktop/DBus/Local",
    dbus_interface="org.freedesktop.DBus.Local",
)
bus.set_exit_on_disconnect(False)

login_name = dbus.service.BusName(LOGIN, bus, do_not_queue=True)
login = dbusmock.mockobject.DBusMockObject(login_name, LOGIN_PATH, MANAGER, {}, "/dev/null", False)
login.AddTemplate("logind", {})
dbusmock.mockobject.objects[LOGIN_PATH] = login
login.AddProperty(MANAGER, "InhibitDelayMaxUSec", dbus.UInt64(delay))


def reload():
    with open(override, encoding="utf-8") as file:
        seconds = re.search(r"^InhibitDelayMaxSec=(\d+)$", file.read(), re.M).group(1)
    login.UpdateProperties(MANAGER, {"InhibitDelayMaxUSec": dbus.UInt64(int(seconds) * 1000000)})
    return False


def kill_unit(_self, unit, whom, signal):
    if (unit, whom, signal) != ("systemd-logind.service", "all", 1):
        raise dbus.exceptions.DBusException("no such unit", name="org.freedesktop.systemd1.NoSuchUnit")
    GLib.timeout_add(150, reload)


systemd_name = dbus.service.BusName("org.freedesktop.systemd1", bus, do_not_queue=True)
systemd = dbusmock.mockobject.DBusMockObject(
    systemd_name, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", {}, "/dev/null", False
)
dbusmock.mockobject.objects["/org/freedesktop/systemd1"] = systemd
systemd.AddMethod("org.freedesktop.systemd1.Manager", "KillUnit", "ssi", "", "objects['kill'](self, *args)")
dbusmock.mockobject.objects["kill"] = kill_unit

print("ready", flush=True)
glib = ctypes.cdll.LoadLibrary("libglib-2.0.so.0")
while running:
    glib.g_main_context_iteration(None, True)
