"""The versions of the template languages, and what a version allows beside functions.

Rule: a feature is there when Stoker's specification or Heat has it at that version, so
that a template written for either is accepted.
"""

from __future__ import annotations

from typing import Final

HOT: Final = (
    "2013-05-23",
    "2014-10-16",
    "2015-04-30",
    "2015-10-15",
    "2016-04-08",
    "2016-10-14",
    "2017-02-24",
    "2017-09-01",
    "2018-03-02",
    "2018-08-31",
    "2021-04-16",
)
"""Every HOT version, oldest first; their texts sort by age."""

ALIASES: Final = {
    "newton": "2016-10-14",
    "ocata": "2017-02-24",
    "pike": "2017-09-01",
    "queens": "2018-03-02",
    "rocky": "2018-08-31",
    "wallaby": "2021-04-16",
}

AWS: Final = "AWSTemplateFormatVersion.2010-09-09"
HEAT: Final = "HeatTemplateFormatVersion.2012-12-12"
CFN: Final = (AWS, HEAT)
"""The CloudFormation formats; only the first has conditions. Their texts sort after all of HOT."""

CONDITIONS: Final = "2014-10-16"
EXTERNAL_ID: Final = "2016-10-14"
LOWER_CASE_POLICIES: Final = "2016-10-14"
MODULO: Final = "2017-02-24"
PARAMETER_TAGS: Final = "2018-03-02"
IF_WITHOUT_ELSE: Final = "2021-04-16"
PATH_TO_RESOURCE: Final = "2014-10-16"
"""From here on get_attr hands its path to the resource; before, it fetched the whole."""

ALL_ATTRIBUTES: Final = "2015-10-15"
"""From here on get_attr may name a resource alone, and then its name needs no list around it."""


def has_lower_case_policies(version: str) -> bool:
    """Tell whether a deletion policy may be written in lower case."""
    return version not in CFN and version >= LOWER_CASE_POLICIES
