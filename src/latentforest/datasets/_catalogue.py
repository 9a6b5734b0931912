"""What there is: names, sizes, origins, licences, addresses and checksums."""

from typing import NamedTuple

from latentforest.datasets._digests import of_expression
from latentforest.datasets._records import Dataset, Part

AUTHORS = (
    "https://raw.githubusercontent.com/bips-hb/RFAE/"
    "5c1cdc55fa0e223f44b73ab860f0ad3656c8ef4e/"
    "paper/compression_benchmarks/original_data/"
)
DIGITS = "https://ossci-datasets.s3.amazonaws.com/mnist/"
LEUKAEMIA = (
    "https://raw.githubusercontent.com/tkhan11/Gene-Expression-Classification/"
    "e6a1d8be4d763c9e4d9d71348abfaabd61a32131/"
)


def names() -> tuple[str, ...]:
    """Return the names of all data sets, in order.

    Returns
    -------
    tuple of str
        What `load` and `describe` take.

    Examples
    --------
    >>> from latentforest import datasets
    >>> datasets.names()[:3]
    ('abalone', 'adult', 'banknote')
    """
    return tuple(CATALOGUE)


def describe(name: str) -> Dataset:
    """Say what a data set is, without fetching it.

    Parameters
    ----------
    name : str
        One of `names()`.

    Returns
    -------
    Dataset
        Size, origin, licence and addresses.

    Examples
    --------
    >>> from latentforest import datasets
    >>> datasets.describe("wq").n_rows
    4898
    """
    if name not in CATALOGUE:
        message = f"There is no data set {name!r}. There are: {', '.join(CATALOGUE)}."
        raise ValueError(message)
    return CATALOGUE[name]


class _Table(NamedTuple):
    """One of the 20 tables of the paper, as its authors keep it."""

    name: str
    n_rows: int
    n_columns: int
    sha256: str
    origin: str
    licence: str = "CC BY 4.0 (UCI)"

    def entry(self) -> Dataset:
        """Return the table as a data set."""
        file = f"{self.name}.csv"
        return Dataset(
            self.name,
            self.n_rows,
            self.n_columns,
            self.origin,
            self.licence,
            f"tabular/{file}.gz",
            (Part(file, AUTHORS + file, self.sha256),),
        )


_TABLES = (
    _Table(
        "abalone",
        4_177,
        9,
        "b25287674a76476ee646b54507ec86c119afdbec5a7f17df9d0aea9460bc9730",
        "UCI 1 Abalone",
    ),
    _Table(
        "adult",
        45_222,
        14,
        "f9f66ebb4c415649e84d84e24bc7fe232eb28a4db3dfb5fae83c3d4797055043",
        "UCI 2 Adult, in the form of OpenML 179 (adult v1, four numbers binned)",
    ),
    _Table(
        "banknote",
        1_372,
        5,
        "ef25eed5515f369311c031236ab993afa3c12600eae2c881f42be6f08077eef5",
        "UCI 267 Banknote authentication (OpenML 1462)",
    ),
    _Table(
        "bc",
        569,
        31,
        "f6c65a8089f4dffb414973265861e4040ce6088473cba0b4552357f928995459",
        "UCI 17 Breast Cancer Wisconsin (Diagnostic)",
    ),
    _Table(
        "car",
        1_728,
        7,
        "9b96b05c054d7e1022a60cf6dda3bafd14b1254122d6866a9522c01b8f46d718",
        "UCI 19 Car Evaluation",
    ),
    _Table(
        "churn",
        10_000,
        11,
        "99ad69bebcb968fabf4748e173229b743494d321d1aaf604c2c55f71290b4fc8",
        "Kaggle 'Churn Modelling' bank customers (ids and surname dropped)",
        "not stated (Kaggle)",
    ),
    _Table(
        "credit",
        1_000,
        21,
        "a6314a119b4037ae756ac7a9b2b6a1faefe3023c08c5bf6bcda208a0970054ec",
        "UCI 144 Statlog German Credit (OpenML 31 credit-g)",
    ),
    _Table(
        "diabetes",
        768,
        9,
        "b78029447fae2743b3218bb2b76ef0d04afe8d7e55ce2faf4d1ec82d8f8ae8ac",
        "Pima Indians Diabetes (Kaggle/UCI)",
        "CC0 (Kaggle)",
    ),
    _Table(
        "dry_bean",
        13_611,
        17,
        "a427b53eafd5bf50af0798873311f2103c46d0576371dae8fa6c4853480bf3ca",
        "UCI 602 Dry Bean",
    ),
    _Table(
        "forestfires",
        517,
        13,
        "0d6586a1fa52f55bef48578aef14eb97273f1e9330e1a53423df497a77065253",
        "UCI 162 Forest Fires",
    ),
    _Table(
        "hd",
        297,
        14,
        "ce06e6373b6ce87a00ee100f9cf050c92b3e33256588e11983f9989f073b1304",
        "UCI 45 Heart Disease (Cleveland, complete rows)",
    ),
    _Table(
        "king",
        21_613,
        19,
        "5227b9543bd9ac07532ddb7d83f6d0c5d57a4d2b2763dabb24f557cac8eadd11",
        "Kaggle House Sales in King County (id, date dropped)",
        "CC0 (Kaggle)",
    ),
    _Table(
        "marketing",
        45_211,
        17,
        "32add60ed17b6b61318c33150fe29541bef9b9061a56ed0ea7e4b21101a13ad3",
        "UCI 222 Bank Marketing (OpenML 1461 bank-marketing)",
    ),
    _Table(
        "mushroom",
        8_124,
        23,
        "63752fb1fae53271100ec88a36e4b2df2a4b611693983282a5a1651af940b8c4",
        "UCI 73 Mushroom",
    ),
    _Table(
        "obesity",
        2_111,
        17,
        "b62e1eb1c8c981379bee23e39e35683f5455683bd772dc722827158dde929a1f",
        "UCI 544 Obesity levels",
    ),
    _Table(
        "plpn",
        333,
        8,
        "b6e7326492ab7e844cabed4e243be2bb4c5af927a9c2e48521324ed050f80fe1",
        "Palmer penguins (palmerpenguins, complete rows)",
        "CC0",
    ),
    _Table(
        "spambase",
        4_601,
        58,
        "6cd77000c106bd015aa3839cad37b815285d475b01342e150e96df62b8f8a13d",
        "UCI 94 Spambase",
    ),
    _Table(
        "student",
        649,
        33,
        "3fb408fe4b66d4cdb90ad4ec5e3fb6de94ba662d0471a3d46c03da483069f76b",
        "UCI 320 Student Performance (student-por)",
    ),
    _Table(
        "telco",
        7_032,
        20,
        "4dfbe4f5ce00846c04de0276b3a6188a002f4c04af9fbc8939fa4fc90ee3a157",
        "Kaggle/IBM Telco customer churn (complete rows, customerID dropped)",
        "not stated (IBM sample data)",
    ),
    _Table(
        "wq",
        4_898,
        12,
        "cf169207d58ff5a8026b34e500ed01fec38ea23322aca9b7948b8e2a3a636ed3",
        "UCI 186 Wine Quality (white)",
    ),
)
_MNIST = Dataset(
    "mnist",
    70_000,
    785,
    "MNIST (LeCun, Cortes and Burges): 60,000 training digits, then 10,000 test digits",
    "CC BY-SA 3.0, as usually stated",
    "mnist/mnist.npz",
    tuple(
        Part(f"{file}.gz", f"{DIGITS}{file}.gz", sha256)
        for file, sha256 in (
            (
                "train-images-idx3-ubyte",
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609",
            ),
            (
                "train-labels-idx1-ubyte",
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c",
            ),
            (
                "t10k-images-idx3-ubyte",
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6",
            ),
            (
                "t10k-labels-idx1-ubyte",
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6",
            ),
        )
    ),
)
_GOLUB = Dataset(
    "golub",
    72,
    7_130,
    "Golub et al. 1999 (Science 286:531): raw intensities of 7,129 probes in 38 "
    "training and 34 test patients",
    "not stated",
    "golub/golub_7129.npz",
    tuple(
        Part(file, LEUKAEMIA + file, sha256, of_expression)
        for file, sha256 in (
            (
                "data_set_ALL_AML_train.csv",
                "02b8b478f8c6131661db8c09a141351458a591f2a65572a4b69db5efa1f4b678",
            ),
            (
                "data_set_ALL_AML_independent.csv",
                "9676d7bf6c564024bb6e2d9cc2fe2d3f773d5aaa304816a66aa6b3de8fe1aaf8",
            ),
        )
    ),
)
CATALOGUE = {
    entry.name: entry
    for entry in (*(table.entry() for table in _TABLES), _MNIST, _GOLUB)
}
