"""Writing an export: whole or not at all, and never over somebody's edits."""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Final

from planner.model.fields import printable

CANNOT_CREATE: Final = 73
IO_ERROR: Final = 74
BUSY: Final = 75
NO_PERMISSION: Final = 77
INTERNAL: Final = 70
BAD_DATA: Final = 65
LARGEST_EXPORT: Final = 500_000_000
"""Bytes of a file beyond which it is no export of ours, and is not read."""

_PERMISSION = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_PLACE = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EEXIST, errno.ELOOP, errno.EINVAL}
)


class ExportError(Exception):
    """One clear sentence about an export that was not written, with the exit code (sysexits) that a command ends with.

    Whatever was at the path before is still there, byte for byte.
    """

    def __init__(self, message: str, exit_code: int = IO_ERROR) -> None:
        super().__init__(message)
        self.exit_code = exit_code


def shown(path: Path) -> str:
    """``path`` as it may stand in a message: no control characters."""
    return printable(str(path))


def write_atomically(path: str | os.PathLike[str], data: bytes) -> Path:
    """Writes ``data`` to ``path`` so that the file is at every moment the old or the new one; gives its full path.

    The bytes go to a temporary file in the same folder, are flushed to the disk, read back and compared, and only then
    take the name. A link is followed; permissions of a file that was there are kept, a new one honours the umask.
    Raises ExportError: 73 when the place cannot hold a file, 74 for input/output, 77 without permission.
    """
    target = Path(path)
    try:
        target = Path(os.path.realpath(target))
        _check_place(target)
        mode = _mode_for(target)
        temporary = target.parent / f".{target.name[:100]}.{secrets.token_hex(6)}.part"
        try:
            _write_new(temporary, data)
            temporary.chmod(mode)
            if temporary.read_bytes() != data:
                raise OSError(errno.EIO, "what was read back differs from what was written")
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _flush_folder(target.parent)
    except ValueError as error:
        raise ExportError(
            f"{shown(target)} is no path of a file ({error}); nothing was written.", CANNOT_CREATE
        ) from error
    except OSError as error:
        raise _as_export_error(target, error) from error
    return target


def _check_place(target: Path) -> None:
    """Raises ExportError when ``target`` cannot become a file."""
    if not target.parent.is_dir():
        raise ExportError(f"The folder {shown(target.parent)} does not exist; nothing was written.", CANNOT_CREATE)
    try:
        kind = target.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(kind):
        raise ExportError(f"{shown(target)} is a folder; give the path of a file in it.", CANNOT_CREATE)
    if not stat.S_ISREG(kind):
        raise ExportError(f"{shown(target)} is not an ordinary file; nothing was written.", CANNOT_CREATE)
    if not os.access(target, os.W_OK):
        raise ExportError(f"{shown(target)} is read-only; the file is unchanged.", NO_PERMISSION)


def _mode_for(target: Path) -> int:
    """The permissions the new file gets: those of the old one, else what the umask leaves of 0666."""
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        umask = os.umask(0)
        os.umask(umask)
        return 0o666 & ~umask


def _write_new(path: Path, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags, 0o600), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    """Makes the new name durable where folders can be flushed; the file itself already is."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)


def _is_there(target: Path) -> bool:
    try:
        return target.exists()
    except (OSError, ValueError):
        return False


def _as_export_error(target: Path, error: OSError) -> ExportError:
    reason = (error.strerror or str(error) or type(error).__name__).strip()
    left = "the file that was there is unchanged" if _is_there(target) else "nothing was written"
    if error.errno in _PERMISSION:
        return ExportError(
            f"{shown(target)} cannot be written ({reason}); {left}. It may be open in another program.", NO_PERMISSION
        )
    code = CANNOT_CREATE if error.errno in _PLACE else IO_ERROR
    return ExportError(f"{shown(target)} cannot be written ({reason}); {left}.", code)


def digest(data: bytes) -> str:
    """SHA-256 of ``data`` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def refuse_to_overwrite(path: str | os.PathLike[str], is_untouched: Callable[[bytes], bool], *, force: bool) -> None:
    """Refuses to replace a file that somebody edited, that another program has open, or that is not an export.

    ``is_untouched`` says of the bytes on disk whether they are an export that nobody changed. With ``force`` only a
    file that is open elsewhere is refused. Raises ExportError 73, 74, 75 or 77.
    """
    target = Path(path)
    try:
        _refuse_open(target)
        if force or not target.is_file():
            return
        data = target.read_bytes() if target.stat().st_size <= LARGEST_EXPORT else b""
    except ValueError as error:
        raise ExportError(
            f"{shown(target)} is no path of a file ({error}); nothing was written.", CANNOT_CREATE
        ) from error
    except OSError as error:
        raise _as_export_error(target, error) from error
    if not is_untouched(data):
        raise ExportError(
            f"{shown(target)} is there already and is not an untouched export; it is unchanged. "
            "Choose another name, or overwrite it with force.",
            CANNOT_CREATE,
        )


def _refuse_open(target: Path) -> None:
    """Office programs leave a lock file beside what they have open."""
    for name, program in ((f"~${target.name}", "Excel"), (f".~lock.{target.name}#", "LibreOffice")):
        if (target.parent / name).exists():
            raise ExportError(
                f"{shown(target)} is open in {program} (there is a {name} beside it); close it or choose another name.",
                BUSY,
            )
