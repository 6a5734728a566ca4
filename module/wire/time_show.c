/* time_show.c -- times as words: see time_show.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "time_show.h"

#include <stdbool.h>
#include <string.h>

/* Days from 0001-01-01 to the first of January of YEAR. */
static int64_t days_before_year(int64_t year) {
    int64_t past = year - 1;
    return past * 365 + past / 4 - past / 100 + past / 400;
}

struct date {
    int64_t year, month, day;
};

/* The date of a day that is counted from 0001-01-01.  Does not use gmtime_r, which takes the
 * process's time zone lock and reads its environment. */
static struct date date_of_day(int64_t day) {
    static const int64_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year = day * 400 / 146097 + 1; /* exact, or off by one */
    if (days_before_year(year) > day)
        year--;
    if (days_before_year(year + 1) <= day)
        year++;
    bool leap = days_before_year(year + 1) - days_before_year(year) == 366;
    day -= days_before_year(year);
    int month = 0;
    for (;; month++) {
        int64_t length = lengths[month] + (month == 1 && leap);
        if (day < length)
            break;
        day -= length;
    }
    return (struct date){.year = year, .month = month + 1, .day = day + 1};
}

/* Overwrites WIDTH characters of a template with the digits of VALUE. */
static void put_digits(char *at, int width, int64_t value) {
    for (int i = width - 1; i >= 0; i--, value /= 10)
        at[i] = (char)('0' + value % 10);
}

static int64_t floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

void time_show(int64_t ns, char out[TIME_SHOWN]) {
    const int64_t day_ms = 86400000, epoch_day = 719162;
    int64_t ms = floor_div(ns, 1000000);
    struct date date = date_of_day(floor_div(ms, day_ms) + epoch_day);
    ms -= floor_div(ms, day_ms) * day_ms;

    memcpy(out, "0000-00-00T00:00:00.000Z", TIME_SHOWN);
    put_digits(out, 4, date.year);
    put_digits(out + 5, 2, date.month);
    put_digits(out + 8, 2, date.day);
    put_digits(out + 11, 2, ms / 3600000);
    put_digits(out + 14, 2, ms / 60000 % 60);
    put_digits(out + 17, 2, ms / 1000 % 60);
    put_digits(out + 20, 3, ms % 1000);
}
