"""The bill of materials: SPDX 2.3 as its schema has it, and complete."""

import hashlib
import json
import re

import jsonschema_rs
import pytest

from commands import run

TEXT = {"type": "string", "minLength": 1}
IDENTIFIER = {"type": "string", "pattern": "^SPDXRef-[A-Za-z0-9.-]+$"}
PACKAGE = {
    "type": "object",
    "required": ["SPDXID", "name", "versionInfo", "downloadLocation", "licenseDeclared",
                 "licenseConcluded", "copyrightText", "supplier", "externalRefs"],
    "additionalProperties": False,
    "properties": {
        "SPDXID": IDENTIFIER, "name": TEXT, "versionInfo": TEXT, "downloadLocation": TEXT,
        "licenseDeclared": TEXT, "licenseConcluded": TEXT, "copyrightText": TEXT, "sourceInfo": TEXT,
        "supplier": {"type": "string", "pattern": "^(NOASSERTION|(Person|Organization): .+)$"},
        "filesAnalyzed": {"const": False},
        "primaryPackagePurpose": {"const": "APPLICATION"},
        "checksums": {"type": "array", "minItems": 1, "items": {
            "type": "object", "required": ["algorithm", "checksumValue"],
            "additionalProperties": False,
            "properties": {"algorithm": {"const": "SHA256"},
                           "checksumValue": {"type": "string", "pattern": "^[0-9a-f]{64}$"}}}},
        "externalRefs": {"type": "array", "minItems": 1, "items": {
            "type": "object",
            "required": ["referenceCategory", "referenceType", "referenceLocator"],
            "additionalProperties": False,
            "properties": {"referenceCategory": {"const": "PACKAGE-MANAGER"},
                           "referenceType": {"const": "purl"},
                           "referenceLocator": {
                               "type": "string",
                               "pattern": "^pkg:(deb/debian|generic|npm)/[^@]+@[^@:+ ]+$"}}}},
    },
}
DOCUMENT = {
    "type": "object",
    "required": ["spdxVersion", "dataLicense", "SPDXID", "name", "documentNamespace", "creationInfo",
                 "packages", "relationships"],
    "additionalProperties": False,
    "properties": {
        "spdxVersion": {"const": "SPDX-2.3"}, "dataLicense": {"const": "CC0-1.0"},
        "SPDXID": {"const": "SPDXRef-DOCUMENT"}, "name": TEXT,
        "documentNamespace": {"type": "string", "pattern": "^https://[^#]+$"},
        "creationInfo": {
            "type": "object", "required": ["created", "creators"], "additionalProperties": False,
            "properties": {
                "created": {"type": "string",
                            "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"},
                "creators": {"type": "array", "minItems": 1, "items": {
                    "type": "string", "pattern": "^(Tool|Person|Organization): .+$"}}}},
        "packages": {"type": "array", "minItems": 4, "items": PACKAGE},
        "relationships": {"type": "array", "minItems": 5, "items": {
            "type": "object",
            "required": ["spdxElementId", "relationshipType", "relatedSpdxElement"],
            "additionalProperties": False,
            "properties": {"spdxElementId": IDENTIFIER, "relatedSpdxElement": IDENTIFIER,
                           "relationshipType": {"enum": ["DESCRIBES", "DYNAMIC_LINK", "STATIC_LINK",
                                                         "DEPENDS_ON", "CONTAINS"]}}}},
    },
}


@pytest.fixture(scope="module")
def sbom(packages):
    return json.loads((packages / "parley.spdx.json").read_text())


@pytest.fixture(scope="module")
def runner_sbom(packages):
    return json.loads((packages / "parley-runner.spdx.json").read_text())


@pytest.mark.parametrize("of", ["sbom", "runner_sbom"])
def test_it_is_spdx(of, request):
    sbom = request.getfixturevalue(of)
    jsonschema_rs.Draft202012Validator(DOCUMENT).validate(sbom)
    ids = [p["SPDXID"] for p in sbom["packages"]]
    assert len(set(ids)) == len(ids)
    known = {*ids, sbom["SPDXID"]}
    for r in sbom["relationships"]:
        assert {r["spdxElementId"], r["relatedSpdxElement"]} <= known, r
    reached = {r["relatedSpdxElement"] for r in sbom["relationships"]}
    assert reached == set(ids), "everything in it is there for a reason"


def test_it_describes_the_program_of_the_package(sbom, unpacked, version):
    binary = unpacked / "usr/sbin/parley"
    main = sbom["packages"][0]
    assert main["name"] == "parley" and main["versionInfo"] == version
    assert main["checksums"][0]["checksumValue"] == hashlib.sha256(binary.read_bytes()).hexdigest()


def test_it_names_every_library(sbom, unpacked, deb):
    names = {p["name"]: p for p in sbom["packages"]}
    depends = re.findall(r"(lib[\w.+-]+|zlib1g)", run("dpkg-deb", "-f", deb, "Depends"))
    assert set(depends) - set(names) == set()
    for name in depends:
        assert names[name]["licenseDeclared"] != "NOASSERTION", name
        want = run("dpkg-query", "-W", "-f", "${Version}\n", name).split()[0]
        assert names[name]["versionInfo"] == want
    needed = re.findall(r"\(NEEDED\)", run("readelf", "-d", unpacked / "usr/sbin/parley"))
    linked = [r for r in sbom["relationships"] if r["relationshipType"] == "DYNAMIC_LINK"]
    assert 0 < len(linked) <= len(needed)
    assert {"libgnutls30", "libnghttp2-14"} <= set(names), "also what libraries need"


def test_it_names_what_the_console_is_made_from(project, sbom, unpacked):
    wanted = json.loads((project / "console/package.json").read_text())["dependencies"]
    inside = {r["relatedSpdxElement"] for r in sbom["relationships"]
              if r["relationshipType"] == "CONTAINS" and
              r["spdxElementId"] == sbom["packages"][0]["SPDXID"]}
    pages = {p["name"]: p for p in sbom["packages"] if p["SPDXID"] in inside}
    assert {name: pages[name]["versionInfo"] for name in wanted} == wanted
    assert "@preact/signals-core" in pages, "also what a package needs"
    assert not {"typescript", "esbuild", "playwright-core"} & set(pages), "not what only builds it"
    notices = (unpacked / "usr/share/doc/parley/copyright").read_text()
    for page in pages.values():
        assert page["licenseDeclared"] == "MIT", page
        assert page["name"] in notices, f"no notice of {page['name']}"


def test_it_names_what_is_in_the_runners_programs(runner_sbom, packages, version, tmp_path):
    run("dpkg-deb", "-x", next(packages.glob("parley-runner_*.deb")), tmp_path)
    main, by_name = runner_sbom["packages"][0], {p["name"]: p for p in runner_sbom["packages"]}
    assert (main["name"], main["versionInfo"]) == ("parley-runner", version)
    edges = {(r["spdxElementId"], r["relationshipType"], r["relatedSpdxElement"])
             for r in runner_sbom["relationships"]}
    programs = [f for f in (tmp_path / "usr/libexec/parley").iterdir() if f.read_bytes()[:4] == b"\x7fELF"]
    assert {f.name for f in programs} == {"parley-seat", "parley-filter"}
    for file in programs:
        entry = by_name[file.name]
        assert entry["checksums"][0]["checksumValue"] == hashlib.sha256(file.read_bytes()).hexdigest()
        assert (main["SPDXID"], "CONTAINS", entry["SPDXID"]) in edges
    for program, how, library in (("parley-seat", "STATIC_LINK", "libc6-dev"),
                                  ("parley-filter", "DYNAMIC_LINK", "libseccomp2"),
                                  ("parley-filter", "DYNAMIC_LINK", "libc6")):
        assert by_name[library]["licenseDeclared"] != "NOASSERTION", library
        assert (by_name[program]["SPDXID"], how, by_name[library]["SPDXID"]) in edges


def test_the_checksums_are_right(packages):
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=packages)
    listed = (packages / "SHA256SUMS").read_text()
    for file in packages.iterdir():
        assert file.name == "SHA256SUMS" or f"  {file.name}\n" in listed
