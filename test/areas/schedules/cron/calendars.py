# Writes calendars.json: when cron expressions fire, computed without any cron code. Each expression
# is paired with a rule in Python; every second that could count is tried against it, and the zone
# arithmetic is that of zoneinfo. Run by hand: python3 test/areas/schedules/cron/calendars.py
import calendar
import itertools
import json
import pathlib
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

# A year that is over: the rules of its zones do not change any more.
YEAR = 2025


def weekday_near(day):
    """The weekday nearest to a day of the month, as a rule on dates."""

    def rule(d):
        last = calendar.monthrange(d.year, d.month)[1]
        if day > last:
            return False
        wanted = datetime(d.year, d.month, day)
        if wanted.weekday() == 5:
            wanted += timedelta(days=2 if day == 1 else -1)
        elif wanted.weekday() == 6:
            wanted += timedelta(days=-2 if day == last else 1)
        return d.date() == wanted.date()

    return rule


def last_day(before=0):
    return lambda d: d.day == calendar.monthrange(d.year, d.month)[1] - before


def last_weekday(d):
    last = calendar.monthrange(d.year, d.month)[1]
    return weekday_near(last)(d)


def nth(weekday, n):
    return lambda d: d.weekday() == weekday and (d.day - 1) // 7 == n - 1


def last_of(weekday):
    return lambda d: d.weekday() == weekday and d.day + 7 > calendar.monthrange(d.year, d.month)[1]


any_day = lambda d: True
# expression, days, hours, minutes, seconds
SPARSE = [
    ("0 30 2 * * *", any_day, [2], [30], [0]),
    ("0 0 0 * * ?", any_day, [0], [0], [0]),
    ("0 15,45 1-3 * * *", any_day, [1, 2, 3], [15, 45], [0]),
    ("30 0 12 15W * ?", weekday_near(15), [12], [0], [30]),
    ("0 0 9 1W * *", weekday_near(1), [9], [0], [0]),
    ("0 0 9 31W * *", weekday_near(31), [9], [0], [0]),
    ("0 0 23 L * *", last_day(), [23], [0], [0]),
    ("0 0 23 L-3 * *", last_day(3), [23], [0], [0]),
    ("0 0 18 LW * *", last_weekday, [18], [0], [0]),
    ("0 0 8 ? * MON#2", nth(0, 2), [8], [0], [0]),
    ("0 0 8 ? * 5#5", nth(4, 5), [8], [0], [0]),
    ("0 30 2 ? * 0L", last_of(6), [2], [30], [0]),
    ("0 30 2 ? * SUNL", last_of(6), [2], [30], [0]),
    ("0 0 6 13 * FRI", lambda d: d.day == 13 and d.weekday() == 4, [6], [0], [0]),
    ("0 0 6 1-7 JAN-MAR,OCT 1", lambda d: d.day <= 7 and d.month in (1, 2, 3, 10) and d.weekday() == 0,
     [6], [0], [0]),
    ("0 0 4 ? * SAT-SUN", lambda d: d.weekday() >= 5, [4], [0], [0]),
    ("0 0 4 ? * SUN-TUE", lambda d: d.weekday() in (6, 0, 1), [4], [0], [0]),
    ("0 0 4 5/10 * *", lambda d: d.day in (5, 15, 25), [4], [0], [0]),
    ("@weekly", lambda d: d.weekday() == 6, [0], [0], [0]),
    ("@monthly", lambda d: d.day == 1, [0], [0], [0]),
]
# These name every hour, so they follow elapsed time.
DENSE = [
    ("0 */20 * * * *", any_day, [0, 20, 40], [0]),
    ("15/30 59 * * * ?", any_day, [59], [15, 45]),
    ("@hourly", any_day, [0], [0]),
    ("0 0 * ? * SUN", lambda d: d.weekday() == 6, [0], [0]),
]
ZONES = [
    "UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Australia/Sydney",
    "Australia/Lord_Howe", "Pacific/Auckland", "Pacific/Chatham", "Africa/Cairo", "Asia/Beirut",
    "Africa/Casablanca", "Asia/Kolkata",
]


def sparse(zone, days, hours, minutes, seconds):
    """Local times that do not exist move forward by the change; of two equal ones the first counts."""
    found = set()
    day = datetime(YEAR, 1, 1)
    while day.year == YEAR:
        if days(day):
            for h in hours:
                for m in minutes:
                    for s in seconds:
                        local = day.replace(hour=h, minute=m, second=s, tzinfo=zone, fold=0)
                        found.add(int(local.astimezone(timezone.utc).timestamp()))
        day += timedelta(days=1)
    return sorted(found)


def changes(zone):
    """Hours of the year after which the zone has another offset."""
    hour = datetime(YEAR, 1, 1, tzinfo=timezone.utc)
    while hour.year == YEAR:
        after = hour + timedelta(hours=1)
        if hour.astimezone(zone).utcoffset() != after.astimezone(zone).utcoffset():
            yield hour
        hour = after


def dense(zone, around, days, minutes, seconds):
    """Every second of a day around a change whose local time fits."""
    start = int((around - timedelta(hours=12)).timestamp())
    found = []
    for second in range(start, start + 86400):
        local = datetime.fromtimestamp(second, zone)
        if local.second in seconds and local.minute in minutes and days(local.replace(tzinfo=None)):
            found.append(second)
    return start, found


def main():
    out = []
    for name in ZONES:
        zone = ZoneInfo(name)
        for cron, days, hours, minutes, seconds in SPARSE:
            # Moved times may leave the year: only whole days inside it are compared.
            first = int(datetime(YEAR, 1, 3, tzinfo=timezone.utc).timestamp())
            last = int(datetime(YEAR, 12, 29, tzinfo=timezone.utc).timestamp())
            times = [t for t in sparse(zone, days, hours, minutes, seconds) if first <= t < last]
            out.append({"zone": name, "cron": cron, "from": first, "to": last, "times": times})
        for around in changes(zone):
            for cron, days, minutes, seconds in DENSE:
                start, times = dense(zone, around, days, minutes, seconds)
                out.append({"zone": name, "cron": cron, "from": start, "to": start + 86400, "times": times})
    # Stored as the first time and the runs of equal differences: shorter.
    for each in out:
        times = each.pop("times")
        each["first"] = times[0] if times else None
        steps = itertools.groupby(b - a for a, b in zip(times, times[1:]))
        each["steps"] = [[step, len(list(run))] for step, run in steps]
    lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in out)
    pathlib.Path(__file__).with_name("calendars.json").write_text(f"[\n{lines}\n]\n")


main()
